// Takes the README's screenshot: the sample reel's page next to its JSON. Run by scripts/make-screenshot.
import { writeFile } from 'node:fs/promises';
import { firstAdministrator, SAMPLE, startDaemon } from './daemon.js';
import { launchBrowser, Visitor } from './visitor.js';

const WIDTH = 860;
const HEIGHT = 900;
const JSON_WIDTH = 640;
const LINE_LENGTH_MAX = 82;
const TEXT_LENGTH_MAX = 44;
const ITEMS_MAX = 2;

/** The JSON with long texts and lists shortened, so that each section is visible. */
function shortened(value) {
    if (typeof value === 'string') {
        return value.length > TEXT_LENGTH_MAX ? `${value.slice(0, TEXT_LENGTH_MAX - 1)}…` : value;
    }
    if (Array.isArray(value)) {
        const items = value.slice(0, ITEMS_MAX).map(shortened);
        return value.length > ITEMS_MAX ? [...items, '…'] : items;
    }
    if (value && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
    }
    return value;
}

function escaped(text) {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Like JSON.stringify, but lists and objects that fit are on one line. */
function printed(value, indent = '') {
    const flat = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ').replaceAll(/([[{]) | ([\]}])/g, '$1$2');
    if (value === null || typeof value !== 'object' || (indent !== '' && indent.length + flat.length < LINE_LENGTH_MAX)) {
        return flat;
    }
    const inner = `${indent}  `;
    const lines = Array.isArray(value)
        ? value.map((item) => inner + printed(item, inner))
        : Object.entries(value).map(([name, member]) => `${inner}"${name}": ${printed(member, inner)}`);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function pageWith(picture, text) {
    const coloured = escaped(text)
        .replace(/"[^"]*"(?=:)/g, '<b>$&</b>')
        .replace(/: ("[^"]*")/g, ': <i>$1</i>');
    return `<!DOCTYPE html><meta charset="utf-8"><style>
        body { margin: 0; display: flex; height: ${HEIGHT}px; background: #16181d; }
        img { width: ${WIDTH}px; height: ${HEIGHT}px; }
        pre { margin: 0; padding: 18px 20px; overflow: hidden; color: #c9d1d9; font: 12px/1.5 "DejaVu Sans Mono", monospace; }
        b { color: #79c0ff; font-weight: normal; } i { color: #a5d6a7; font-style: normal; }
        </style><img src="data:image/png;base64,${picture.toString('base64')}"><pre>${coloured}</pre>`;
}

const [daemon, browser] = await Promise.all([startDaemon(), launchBrowser()]);
try {
    const person = await firstAdministrator(daemon);
    const reel = await person.finished(SAMPLE);
    const visitor = await Visitor.open(browser, daemon, { person, width: WIDTH });
    await visitor.page.setViewportSize({ width: WIDTH, height: HEIGHT });
    await visitor.visit(`/reels/${reel.id}`);
    await visitor.page.waitForFunction(() => [...document.images].every((image) => image.complete));
    const picture = await visitor.page.screenshot();
    const { id, status, result } = reel;
    const sheet = await browser.newPage({ viewport: { width: WIDTH + JSON_WIDTH, height: HEIGHT } });
    await sheet.setContent(pageWith(picture, printed(shortened({ id, status, result }))));
    await writeFile(process.argv[2], await sheet.screenshot());
} finally {
    await browser.close();
    await daemon.stop();
}
