// The frame of every page: header with navigation, messages, skip link.
import { html, useLayoutEffect, useRef } from 'htm/preact/standalone';
import { awayStore } from './core/live.js';
import { themeStore, switchTheme } from './core/theme.js';
import { useStore } from './core/store.js';
import { Palette } from './palette/palette.js';
import { Shortcuts } from './palette/shortcuts.js';
import { DeleteFailed } from './reels/delete_failed.js';
import { Announcer } from './ui/announcer.js';
import { focusHeading, focusWhenThere } from './ui/focus.js';
import { Icon } from './ui/icons.js';
import { useKeys } from './ui/keys.js';
import { Skeleton } from './ui/notes.js';
import { openOverlay, overlayStore } from './ui/overlay.js';
import { Toasts } from './ui/toast.js';

const OVERLAYS = { palette: Palette, shortcuts: Shortcuts, delete_failed: DeleteFailed };

const LINKS = [
    ['/', 'reels', 'Reels', (path) => path === '/' || path.startsWith('/reels/')],
    ['/usage', 'usage', 'Usage', (path) => path === '/usage'],
    ['/tokens', 'tokens', 'Tokens', (path) => path === '/tokens'],
    ['/webhooks', 'webhooks', 'Webhooks', (path) => path === '/webhooks'],
    ['/admin', 'admin', 'Admin', (path) => path === '/admin'],
];

function Navigation({ path, isAdmin }) {
    const links = LINKS.filter(([address]) => isAdmin || address !== '/admin');
    return html`<nav class="nav" aria-label="Pages">
        ${links.map(([address, icon, words, isHere]) => html`<a key=${address} href=${address}
                aria-current=${isHere(path) ? 'page' : undefined}>
            <${Icon} name=${icon} />${words}
        </a>`)}
    </nav>`;
}

function ThemeSwitch() {
    const theme = useStore(themeStore);
    const next = theme === 'dark' ? 'light' : 'dark';
    return html`<button class="button button-plain button-icon" type="button" onClick=${switchTheme}
            aria-label=${`Switch to ${next} colours`} title=${`Switch to ${next} colours`}>
        <${Icon} name=${theme === 'dark' ? 'sun' : 'moon'} />
    </button>`;
}

function AwayBar() {
    const isAway = useStore(awayStore);
    return html`<div role="status">${isAway && html`<p class="away">Offline, retrying…</p>`}</div>`;
}

/** Focuses the heading of a new page, or the row of a reel on return from it. */
function useArrival(place, isBusy) {
    const last = useRef(place.path);
    const stopWaiting = useRef(() => {});
    useLayoutEffect(() => {
        if (isBusy || last.current === place.path) {
            return;
        }
        const reel = place.isReturn && /^\/reels\/\d+$/.exec(last.current)?.[0];
        last.current = place.path;
        stopWaiting.current();
        scrollTo(0, place.scrollTop);
        const field = document.querySelector('main [autofocus]');
        if (field) {
            field.focus({ preventScroll: true });
        } else if (reel) {
            stopWaiting.current = focusWhenThere(`.row-title a:is([href="${reel}"], [href^="${reel}#"])`);
        } else {
            focusHeading();
        }
    }, [place, isBusy]);
}

/** The open dialog of every page. */
function Overlay({ session }) {
    const Open = OVERLAYS[useStore(overlayStore)];
    return Open && html`<${Open} session=${session} onClose=${() => openOverlay(null)} />`;
}

function Foot({ session }) {
    return html`<footer class="foot muted small">
        reelsd${session && ` ${session.version}`}, <a href="/docs/">API reference</a>${session && html`<span
            class="foot-keys">, <button class="link" type="button"
            onClick=${() => openOverlay('shortcuts')}>keyboard shortcuts</button></span>`}
    </footer>`;
}

/** The page `children` within the frame. `session` is null for signed-out users. */
export function Shell({ place, session, isBusy = false, children }) {
    useArrival(place, isBusy);
    useKeys(Boolean(session));
    const account = session?.account;
    return html`<div>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
            <a class="brand" href="/"><span class="brand-mark" aria-hidden="true"></span>reelsd</a>
            ${account && html`<${Navigation} path=${place.path} isAdmin=${account.is_admin} />`}
            <div class="top-tools">
                ${account && html`<button class="button button-plain button-icon" type="button"
                    aria-label="Search and go to" title="Search and go to (Ctrl K)" aria-keyshortcuts="Control+K"
                    onClick=${() => openOverlay('palette')}><${Icon} name="search" /></button>`}
                <${ThemeSwitch} />
                ${account && html`<a class="button button-plain" href="/account" title=${account.email}
                        aria-current=${place.path === '/account' ? 'page' : undefined}>
                    <${Icon} name="account" /><span class="top-account cut">${account.email}</span>
                </a>`}
            </div>
        </header>
        <${AwayBar} />
        <main class="page" id="content" tabindex="-1">
            ${isBusy ? html`<${Skeleton} count=${4} />` : children}
        </main>
        <${Foot} session=${session} />
        ${session && html`<${Overlay} session=${session} />`}
        <${Toasts} />
        <${Announcer} />
    </div>`;
}
