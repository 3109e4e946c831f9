// The search: every guide and every request of the API, by words and phrases.
import { addAnchors, CHANGELOG, descriptionOf, fetchDocument, fetchGuides, PAGE, PAGES, sectionsOf, slugOf } from './guides.js';
import { find, folded, OTHER_NAMES, RESULTS_MAX } from './ranking.js';

const METHOD = /^ {4}(get|put|post|delete):$/;
const OPERATOR_FACTOR = 0.25; // Most readers are clients.
const CHANGELOG_FACTOR = 0.02; // It names everything; what it names is described elsewhere.

/** Markdown as plain words, without its samples. */
function plain(text) {
    return text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^\|[-|\s]+\|$/gm, '')
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
        .replaceAll(/\s*\|\s*/g, ' · ').replaceAll(/\s+/g, ' ').trim();
}

function entriesOfGuides(sections, page) {
    const pageFactor = page === 'index.html' ? 1 : OPERATOR_FACTOR;
    const parents = [];
    return addAnchors(sections).map(({ depth, title, lines, anchor, file }) => {
        parents.length = depth;
        parents[depth] = title;
        return { title, parent: parents.slice(0, depth).filter(Boolean).at(-1) ?? '', text: plain(lines.join('\n')),
            factor: file === CHANGELOG ? CHANGELOG_FACTOR : pageFactor, more: folded(lines.join('\n')),
            href: `${page === PAGE ? '' : page}${anchor}` };
    });
}

/** Blocks of the document by their path, such as `schemas/Job`: the lines below their name. */
function componentsOf(document) {
    const blocks = new Map();
    let group = '';
    let block = [];
    for (const line of document.slice(document.indexOf('\ncomponents:')).split('\n')) {
        group = /^ {2}(\w+):$/.exec(line)?.[1] ?? group;
        const name = /^ {4}([\w-]+):/.exec(line)?.[1];
        if (name) {
            block = [];
            blocks.set(`${group}/${name}`, block);
        }
        block.push(line);
    }
    return blocks;
}

/** The text of a block with that of the blocks that it names. */
function withReferences(text, blocks, seen = new Set()) {
    const names = [...text.matchAll(/#\/components\/((?:schemas|parameters|requestBodies)\/[\w-]+)/g)].map(([, name]) => name);
    return names.filter((name) => !seen.has(name)).reduce((whole, name) => {
        seen.add(name);
        return `${whole}\n${withReferences((blocks.get(name) ?? []).join('\n'), blocks, seen)}`;
    }, text);
}

function entriesOfRequests(document) {
    const blocks = componentsOf(document);
    const entries = [];
    let path = '';
    let lines = null;
    const [, paths] = /\npaths:\n([^]*?)\n\S/.exec(document);
    for (const line of paths.split('\n')) {
        path = /^ {2}(\/\S*):$/.exec(line)?.[1] ?? path;
        const method = METHOD.exec(line)?.[1];
        if (method) {
            lines = [];
            entries.push({ method: method.toUpperCase(), path, lines });
        }
        lines?.push(line);
    }
    return entries.map(({ method, path: place, lines: own }) => {
        const text = own.join('\n');
        const tag = /^ {6}tags: \[(.*)\]$/m.exec(text)[1];
        const description = /^ {6}description: (?:\|\n((?: {8}.*\n|\n)*)|(.*))/m.exec(text);
        return {
            title: /^ {6}summary: (.*)$/m.exec(text)[1], parent: `${method} ${place}`, isRequest: true, factor: 1,
            text: plain(description?.[1] ?? description?.[2] ?? ''), more: folded(withReferences(text, blocks)),
            href: `${PAGE === 'index.html' ? '' : 'index.html'}#tag/${slugOf(tag)}/${method}${place}`,
        };
    });
}

/** Resolves to all that can be found: `[{title, parent, text, more, href}]`. */
async function loadEntries() {
    const [document, ...guides] = await Promise.all([fetchDocument(), ...Object.keys(PAGES).map(fetchGuides)]);
    const described = sectionsOf(descriptionOf(document));
    const entries = Object.keys(PAGES).flatMap((page, index) => {
        const sections = guides[index].flatMap((guide) => guide.sections);
        return entriesOfGuides(index === 0 ? [...described, ...sections] : sections, page);
    });
    return [...entries, ...entriesOfRequests(document)].map((entry) => ({ ...entry,
        folded: { title: folded(entry.title), parent: folded(entry.parent), text: folded(entry.text),
            names: OTHER_NAMES[entry.title] ?? '' } }));
}

/** What was found, and for which words if others were typed. */
function resultWords({ found, corrected }) {
    const count = found.length === 1 ? '1 result' : `${found.length === RESULTS_MAX ? 'The best ' : ''}${found.length} results`;
    return corrected ? `${count} for “${corrected}”` : count;
}

/** A new element with its properties and children. */
export function element(name, properties, ...children) {
    const created = Object.assign(document.createElement(name), properties);
    created.append(...children);
    return created;
}

function option({ title, parent, passage, href, isRequest }, index, open) {
    const [before, match, after] = passage;
    const item = element('li', { id: `found-${index}`, role: 'option' },
        element('span', { className: 'found-title' }, title),
        element('span', { className: isRequest ? 'found-parent found-path' : 'found-parent' }, parent),
        element('span', { className: 'found-passage' }, before, ...match ? [element('mark', {}, match)] : [], after));
    item.addEventListener('click', () => open(href));
    return item;
}

/** Whether keys are text there: an input, or the viewer's editor. */
function isTyping(target) {
    return target.matches('input, textarea, select') || target.isContentEditable;
}

/** The button of the search and its dialog. */
export function addSearch(button) {
    const input = element('input', { type: 'text', placeholder: 'Search guides and requests', autocomplete: 'off',
        spellcheck: false, ariaLabel: 'Search guides and requests', ariaExpanded: 'true', ariaAutoComplete: 'list', role: 'combobox' });
    input.setAttribute('aria-controls', 'found');
    const list = element('ul', { id: 'found', role: 'listbox', ariaLabel: 'Results' });
    const note = element('p', { className: 'search-note', role: 'status' });
    const dialog = element('dialog', { className: 'search', ariaLabel: 'Search' }, input, list, note);
    let entries = null;
    let results = [];
    let chosen = 0;
    const choose = (index) => {
        chosen = index;
        [...list.children].forEach((item, place) => item.setAttribute('aria-selected', String(place === index)));
        list.children[index]?.scrollIntoView({ block: 'nearest' });
        input.setAttribute('aria-activedescendant', list.children[index]?.id ?? '');
    };
    const open = (href) => {
        dialog.close();
        location.href = href;
    };
    const show = () => {
        const outcome = find(entries ?? [], input.value);
        results = outcome.found;
        list.replaceChildren(...results.map((result, index) => option(result, index, open)));
        list.hidden = results.length === 0;
        note.textContent = entries === null ? 'Loading…'
            : results.length > 0 ? resultWords(outcome)
                : input.value.trim() ? 'Nothing found.' : 'Words or a phrase, such as “verify the signature”.';
        choose(0);
    };
    const start = async () => {
        if (dialog.open) {
            return;
        }
        dialog.showModal();
        input.select();
        show();
        try {
            entries ??= await loadEntries();
            show();
        } catch (error) {
            note.textContent = `The search could not be loaded: ${error.message}`;
        }
    };
    input.addEventListener('input', show);
    input.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && results.length > 0) {
            event.preventDefault();
            choose((chosen + step + results.length) % results.length);
        } else if (event.key === 'Enter' && !event.isComposing && results[chosen]) {
            event.preventDefault();
            open(results[chosen].href);
        }
    });
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
    document.addEventListener('keydown', (event) => {
        const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
        if (isSlash || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')) {
            event.preventDefault();
            start();
        }
    });
    button.addEventListener('click', start);
    document.body.append(dialog);
}
