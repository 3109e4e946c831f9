// The module files: each is used, and each import exists.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../../../src/dashboard/web', import.meta.url));
const PREACT = 'htm/preact/standalone';
const LINES_MAX = 250;

const textOf = (file) => readFileSync(join(WEB, file), 'utf8');

/** The files that a module imports. */
function importsOf(file) {
    return [...textOf(file).matchAll(/^(?:import .*|\} )from '(\.[^']+)'/gm)]
        .map((match) => normalize(join(dirname(file), match[1])));
}

/** A module and its transitive imports. */
function closure(file, found = new Set()) {
    if (!found.has(file)) {
        found.add(file);
        importsOf(file).forEach((one) => closure(one, found));
    }
    return found;
}

function filesBelow(folder) {
    return readdirSync(folder).filter((name) => name !== 'node_modules').flatMap((name) => {
        const path = join(folder, name);
        return statSync(path).isDirectory() ? filesBelow(path) : [relative(WEB, path)];
    });
}

const modules = filesBelow(WEB).filter((file) => file.endsWith('.js'));

test('each module and style sheet is used', () => {
    const sheets = [...textOf('styles/main.css').matchAll(/@import "\.\/(\w+\.css)"/g)].map((match) => `styles/${match[1]}`);
    const used = [...closure('main.js'), 'core/first_paint.js', 'styles/main.css', ...sheets];
    const all = filesBelow(WEB).filter((file) => /\.(js|css)$/.test(file));
    assert.deepEqual([...used].sort(), [...all].sort());
});

test('no text is inserted as markup, and no module is too long', () => {
    for (const file of modules) {
        const text = textOf(file);
        assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, file);
        assert.ok(text.split('\n').length <= LINES_MAX, `${file} is too long`);
    }
    assert.doesNotMatch(textOf('index.html'), /<style|style=|<script>|\son[a-z]+=/);
});

test('links into the guides for operators lead to one heading, not to the tables of log lines', () => {
    const docs = join(WEB, '../../../docs');
    const guides = readdirSync(join(docs, 'operate')).filter((name) => name.endsWith('.md') && name !== 'log-lines.md')
        .map((name) => join('operate', name));
    const text = [...guides, 'security.md'].map((file) => readFileSync(join(docs, file), 'utf8')).join('\n');
    const slugs = [...text.matchAll(/^#+ (.*)$/gm)]
        .map(([, title]) => title.toLowerCase().replaceAll(/[^\w\s-]/g, '').replaceAll(/[\s_-]+/g, '-'));
    const links = modules.flatMap((file) => [...textOf(file).matchAll(/operation\.html#description\/([\w-]+)/g)]);
    assert.ok(links.length > 0);
    for (const [link, slug] of links) {
        assert.equal(slugs.filter((one) => one === slug).length, 1, link);
    }
});

test('modules without DOM do not import Preact', () => {
    for (const file of modules.filter((one) => /No DOM, so that Node can test this file/.test(textOf(one)))) {
        for (const one of closure(file)) {
            assert.ok(!textOf(one).includes(`from '${PREACT}'`), file);
            assert.doesNotMatch(textOf(one), /\b(document|window|location)\./, one);
        }
    }
});

test('no space is lost at a line break before or after an element', () => {
    for (const file of modules) { // htm drops a line break next to a tag, with the spaces around it.
        assert.doesNotMatch(textOf(file), /[\w.,:;!?)]\n\s*<(a|b|code|em|kbd|span|strong)\b|<\/(a|b|code|em|kbd|span|strong)>\n\s*\w[^=\n]* \w/,
            file);
    }
});
