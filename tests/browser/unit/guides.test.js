// The links between the guides of /docs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

globalThis.location = { pathname: '/docs/operation.html' };
const { addAnchors, CHANGELOG, joined, PAGES, sectionsOf, slugOf } = await import('../../../src/api/documents/viewer/guides.js');

function linksOf({ lines }) {
    return [...lines.join('\n').matchAll(/\[[^\]]*\]\(([^)\s]*)\)/g)].map(([, link]) => link);
}

function guide(file, text) {
    return { file, sections: sectionsOf(text, file) };
}

/** The sections of the joined guides to which links of the page lead, as `file#heading`. */
function targetsOf(guides) {
    const written = addAnchors(guides.flatMap(({ sections }) => sections));
    return sectionsOf(joined(guides)).flatMap(linksOf).filter((link) => link.startsWith('#')).map((link) => {
        const section = written.find(({ anchor }) => anchor === link);
        return section && `${section.file}#${slugOf(section.title)}`;
    });
}

test('links lead to sections of the file that they name, if other files have headings of the same name', () => {
    assert.deepEqual(targetsOf([
        guide('operate/containers.md', '# Containers\n[a](upgrades.md)\n## Upgrades\n[b](#upgrades)'),
        guide('operate/upgrades.md', '# Upgrades\n[c](containers.md#upgrades)\n[d](#upgrades)'),
    ]), ['operate/upgrades.md#upgrades', 'operate/containers.md#upgrades', 'operate/containers.md#upgrades',
        'operate/upgrades.md#upgrades']);
});

test('links between the guides for operators lead to the sections that they name', () => {
    const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    const guides = PAGES['operation.html'].map((file) => guide(file, read(file === CHANGELOG ? file : `docs/${file}`)));
    const named = guides.flatMap(({ file, sections }) => sections.flatMap(linksOf)
        .map((link) => new URL(link, `http://docs/${file}`))
        .filter(({ host, pathname }) => host === 'docs' && PAGES['operation.html'].includes(pathname.slice(1)))
        .map(({ pathname, hash }) => [pathname.slice(1), hash]));
    assert.ok(named.length > 30);
    assert.deepEqual(targetsOf(guides), named.map(([file, hash]) =>
        `${file}${hash || `#${slugOf(guides.find((target) => target.file === file).sections[0].title)}`}`));
});
