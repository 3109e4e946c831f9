// The module files: index.html preloads exactly the modules of the first page, and none is unused.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../../../src/dashboard/web', import.meta.url));
const FETCHED = 'htm-preact.js'; // Copied by the build.
const LINES_MAX = 250;

const textOf = (file) => readFileSync(join(WEB, file), 'utf8');

/** The files that a module imports; with `isLazy` only its dynamic imports. */
function importsOf(file, isLazy) {
    const pattern = isLazy ? /\bimport\('(\.[^']+)'\)/g : /^(?:import .*|\} )from '(\.[^']+)'/gm;
    return [...textOf(file).matchAll(pattern)].map((match) => normalize(join(dirname(file), match[1])));
}

/** A module and its transitive imports. */
function closure(file, found = new Set()) {
    if (!found.has(file)) {
        found.add(file);
        if (file !== FETCHED) {
            importsOf(file, false).forEach((one) => closure(one, found));
        }
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

test('index.html preloads exactly the modules of the first page', () => {
    const named = [...textOf('index.html').matchAll(/modulepreload" href="\/assets\/([^"]+)"/g)]
        .map((match) => match[1]);
    const needed = closure('main.js', closure('pages/reels.js'));
    assert.deepEqual([...named].sort(), [...needed].sort());
});

test('each import exists, and each file is imported', () => {
    const found = closure('main.js');
    for (const file of found) { // Modules that are found on the way are visited, too.
        if (file !== FETCHED) {
            importsOf(file, true).forEach((page) => closure(page, found));
        }
    }
    for (const file of found) {
        assert.ok(file === FETCHED || existsSync(join(WEB, file)), file);
    }
    const linked = [...textOf('index.html').matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map((match) => match[1]);
    const sheets = [...textOf('main.js').matchAll(/'(\w+\.css)'/g)].map((match) => `styles/${match[1]}`);
    const all = filesBelow(WEB).filter((file) => /\.(js|css)$/.test(file));
    assert.deepEqual(all.filter((file) => !found.has(file) && !linked.includes(file)
        && !sheets.includes(file)), []);
});

test('no text is inserted as markup, and no module is too long', () => {
    for (const file of modules) {
        const text = textOf(file);
        assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, file);
        assert.ok(text.split('\n').length <= LINES_MAX, `${file} is too long`);
    }
    assert.doesNotMatch(textOf('index.html'), /<style|style=|<script>|\son[a-z]+=/);
});

test('modules without DOM do not import Preact', () => {
    for (const file of modules.filter((one) => /No DOM, so that Node can test this file/.test(textOf(one)))) {
        const all = [...closure(file)];
        assert.ok(!all.includes(FETCHED), file);
        for (const one of all) {
            assert.doesNotMatch(textOf(one), /\b(document|window|location)\./, one);
        }
    }
});
