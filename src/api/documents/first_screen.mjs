// Writes a page of the documentation with its contents and its first section, which readers see while the viewer loads:
//
//     node first_screen.mjs DOCS PAGE PARSER TEMPLATE OUTPUT
//
// PARSER is the module of `marked`. Samples are left out, because the viewer places them.
import { readFile, writeFile } from 'node:fs/promises';

const PLACEHOLDER = '<!-- first screen -->';
const [docs, page, parser, template, output] = process.argv.slice(2);

globalThis.location = { pathname: `/docs/${page}` };
const [{ marked }, { addAnchors, CHANGELOG, descriptionOf, joined, PAGES, sectionsOf, slugOf }] = await Promise.all([
    import(parser), import('./viewer/guides.js')]);

const read = (path) => readFile(path, 'utf8');

function list(title, entries) {
    const items = entries.map(([name, address]) => `<li><a href="${address}">${name}</a></li>`);
    return items.length > 0 ? `<h2>${title}</h2><ul>${items.join('')}</ul>` : '';
}

const isReference = page === 'index.html';
const document = isReference ? await read(`${docs}/openapi.yaml`) : '';
const guides = await Promise.all(PAGES[page].map(async (file) => ({
    file, sections: sectionsOf(await read(file === CHANGELOG ? `${docs}/../${file}` : `${docs}/${file}`), file) })));
const text = isReference ? `${descriptionOf(document)}\n${joined(guides, document)}` : joined(guides);
const title = isReference ? /^ {2}title: (.*)$/m.exec(document)[1] : 'Operation';
const tags = /\ntags:\n([^]*?)\n\S/.exec(document)?.[1] ?? '';

const sections = addAnchors(sectionsOf(text));
const top = sections.filter(({ depth }) => depth === sections[0].depth);
const first = sections.slice(0, sections.indexOf(top[1]))
    .map(({ depth, title: heading, lines }) => `${'#'.repeat(isReference ? depth : depth + 1)} ${heading}\n${lines.join('\n')}`).join('\n')
    .replaceAll(/^```[^]*?^```$/gm, '');
const shown = `<nav class="first-contents" aria-label="Contents">
${list('Guides', top.map((section) => [section.title, section.anchor]))}
${list('Reference', [...tags.matchAll(/^ {2}- name: (.*)(?:\n {4}x-displayName: (.*))?$/gm)]
        .map(([, name, shownName]) => [shownName ?? name, `#tag/${slugOf(name)}`]))}
</nav>
<main class="first-section"><h1>${title}</h1>
${marked.parse(first)}</main>`;
await writeFile(output, (await read(template)).replace(PLACEHOLDER, () => shown));
