// The Markdown guides of this server: which page shows which, and their sections.
export const PLACEHOLDERS = { server: 'http://127.0.0.1:8080', token: 'YOUR_SECRET_TOKEN' }; // As in the document.

export const CHANGELOG = 'CHANGELOG.md';

/** The guides of a page, after those of the API's document on the page with that document. */
export const PAGES = {
    'index.html': ['guide/client.md', 'guide/mcp.md', 'guide/telegram.md', 'guide/dashboard.md'],
    'operation.html': ['operate/README.md', 'operate/install.md', 'operate/containers.md', 'operate/configuration.md',
        'operate/proxies.md', 'operate/models.md', 'operate/backup-and-restore.md', 'operate/upgrades.md',
        'operate/scaling-out.md', 'operate/monitoring.md', 'operate/runbook.md', 'operate/log-lines.md', 'security.md', CHANGELOG],
};
/** Guides that the document has in another form: the anchors there. */
const IN_DOCUMENT = {
    'guide/api.md': 'quick-start', 'openapi.yaml': 'quick-start', 'guide/extraction.md': 'structured-data',
    'guide/webhooks.md': 'webhooks',
};
export const PAGE = location.pathname.endsWith('/operation.html') ? 'operation.html' : 'index.html';

const HEADING = /^(#+) (.*)$/;
const FENCE = /^```/;

/** As the viewer names the anchor of a heading. */
export function slugOf(title) {
    return title.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '').replaceAll(/[\s_-]+/g, '-').replaceAll(/^-+|-+$/g, '');
}

/** The sections of a text, from `file`: `[{depth, title, lines, file}]`, in order. Headings in samples do not count. */
export function sectionsOf(text, file) {
    const sections = [];
    let isSample = false;
    for (const line of text.split('\n')) {
        isSample = FENCE.test(line) !== isSample;
        const heading = isSample ? null : HEADING.exec(line);
        if (heading) {
            sections.push({ depth: heading[1].length, title: heading[2], lines: [], file });
        } else {
            sections.at(-1)?.lines.push(line);
        }
    }
    return sections;
}

/** The guides in the description of the API's document. */
export function descriptionOf(document) {
    const [, block] = /\n {2}description: \|\n([^]*?)\n\S/.exec(document);
    return block.replaceAll(/^ {4}/gm, '');
}

async function fetchText(path) {
    const answer = await fetch(path);
    if (!answer.ok) {
        throw new Error(`${path}: ${answer.status}`);
    }
    return answer.text();
}

/** Resolves to the text of the API's document, with this server's address. */
export async function fetchDocument() {
    return (await fetchText('openapi.yaml')).replaceAll(PLACEHOLDERS.server, location.origin);
}

/** Resolves to the samples of the requests as JSON, with this server's address. */
export async function fetchSamples() {
    return (await fetchText('samples.json')).replaceAll(PLACEHOLDERS.server, location.origin);
}

/** Resolves to the guides of a page: `[{file, sections}]`, with this server's address. */
export function fetchGuides(page) {
    return Promise.all(PAGES[page].map(async (file) => (
        { file, sections: sectionsOf((await fetchText(file)).replaceAll(PLACEHOLDERS.server, location.origin), file) })));
}

/** Gives each section of a page its anchor; the viewer numbers those of the same name. */
export function addAnchors(sections) {
    const counts = new Map();
    for (const section of sections) {
        const slug = slugOf(section.title);
        const count = counts.get(slug) ?? 0;
        counts.set(slug, count + 1);
        section.anchor = `#description/${slug}${count ? `-${count}` : ''}`;
    }
    return sections;
}

/** The anchors of this page by file, and by file and heading, such as `operate/upgrades.md#upgrades`. */
function anchorsOf(sections) {
    const anchors = new Map();
    for (const { file, title, anchor } of addAnchors(sections)) {
        for (const place of [file, `${file}#${slugOf(title)}`]) {
            anchors.set(place, anchors.get(place) ?? anchor);
        }
    }
    return anchors;
}

/** The address of a link from one guide to another, or null for a file that is not shown here. */
function addressOf(link, from, anchors) {
    const url = new URL(link, `http://docs/${from}`);
    if (url.host !== 'docs') {
        return link;
    }
    const file = url.pathname.slice(1);
    const page = Object.keys(PAGES).find((name) => PAGES[name].includes(file));
    if (IN_DOCUMENT[file]) {
        return `${PAGE === 'index.html' ? '' : 'index.html'}#description/${IN_DOCUMENT[file]}`;
    }
    const anchor = anchors.get(file + url.hash) ?? (url.hash && `#description/${url.hash.slice(1)}`);
    return page ? `${page === PAGE ? '' : page}${anchor}` : null;
}

/** The guides as one Markdown text; a heading lower where they follow those of the API's `document`. */
export function joined(guides, document = '') {
    const before = document ? sectionsOf(descriptionOf(document)) : [];
    const shift = document ? 1 : 0;
    const anchors = anchorsOf([...before, ...guides.flatMap(({ sections }) => sections)]);
    return guides.flatMap(({ file, sections }) => sections.map(({ depth, title, lines }) => [
        `${'#'.repeat(depth + shift)} ${title}`,
        lines.join('\n').replaceAll(/\[([^\]]*)\]\(([^)\s]*)\)/g, (whole, words, link) => {
            const address = addressOf(link, file, anchors);
            return address ? `[${words}](${address})` : words;
        }),
    ].join('\n'))).join('\n');
}
