// The current section is that at the top of the screen: the address and the contents follow it.
const SECTIONS = '#viewer :is(section, .introduction-description-heading)[id]';
const TOP = 120; // A link puts a section at 56 or 64 px, on phones below their second bar.
const SETTLED_MILLISECONDS = 150; // The viewer ignores its event until 100 ms after it has scrolled to a link.
const PASSED_EVENT = 'intersecting:nav-item'; // Of the viewer.

function currentSection() {
    const sections = [...document.querySelectorAll(SECTIONS)];
    const { scrollHeight } = document.documentElement;
    if (scrollY + innerHeight >= scrollHeight - 1) {
        // The last sections cannot reach the top.
        const hash = decodeURIComponent(location.hash.slice(1));
        const linked = sections.find(({ id }) => hash && id.endsWith(`/${hash}`));
        if (linked?.getBoundingClientRect().bottom > TOP) {
            return linked;
        }
    }
    return sections.findLast((section) => section.getBoundingClientRect().top < TOP);
}

/**
 * Makes the viewer select the current section once the page rests. Its own events name what passes the middle of the
 * screen, also while it renders: after a link, they would name a section above or around that of the link.
 */
export function followSections(viewerEvents) {
    const { emit } = viewerEvents;
    let timer = null;
    const follow = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            const section = currentSection();
            if (section) {
                emit(PASSED_EVENT, { id: section.id });
            }
        }, SETTLED_MILLISECONDS);
    };
    viewerEvents.emit = (event, ...details) => (event === PASSED_EVENT ? follow() : emit(event, ...details));
    addEventListener('scroll', follow, { passive: true });
}
