import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksIn, partsOf, sharedLinks } from '../../../src/dashboard/web/reel/links.js';

const REEL = 'https://www.instagram.com/reel/DYa0IXPgnP5/';

test('links are found in any text, each once', () => {
    assert.deepEqual(linksIn(`See ${REEL}, and (instagram.com/p/AAA). Again: ${REEL}\nwww.instagram.com/reel/B/?x=1`),
        [REEL, 'https://instagram.com/p/AAA', 'https://www.instagram.com/reel/B/?x=1']);
    assert.deepEqual(linksIn(`${REEL}\n${REEL.toUpperCase()}`).length, 2);
    assert.deepEqual(linksIn('evilinstagram.com/reel/A https://tiktok.com/x'), ['https://tiktok.com/x']);
});

test('text that touches a link does not belong to it', () => {
    for (const text of [`“${REEL}”`, `${REEL}，好`, `看${REEL}看`, `${REEL}…`, `**${REEL}**`, `{${REEL}}`, `[${REEL}](${REEL})`]) {
        assert.deepEqual(linksIn(text), [REEL], text);
    }
    const other = 'https://www.instagram.com/p/B-_/?igsh=MzRlODBiNWFlZA==';
    for (const separator of [',', ';', '', '、', '|']) {
        assert.deepEqual(linksIn(`${other}${separator}${REEL}`), [other, REEL], separator);
    }
    assert.deepEqual(linksIn('www.instagram.com/p/A,instagram.com/p/B'), ['https://www.instagram.com/p/A', 'https://instagram.com/p/B']);
});

test('a text without links is submitted for the server to reject', () => {
    assert.deepEqual(linksIn(' hello '), ['hello']);
    assert.deepEqual(linksIn(' instagram.com/reel/A '), ['https://instagram.com/reel/A']);
});

test('many links are split into requests', () => {
    const links = Array.from({ length: 120 }, (_, number) => `https://instagram.com/reel/${number}`);
    assert.deepEqual(partsOf(links).map((part) => part.length), [50, 50, 20]);
    assert.deepEqual(partsOf(links).flat(), links);
    assert.deepEqual(partsOf(['x'.repeat(14000), 'x'.repeat(2000), 'y']).map((part) => part.length), [1, 2]);
    assert.deepEqual(partsOf([]), []);
});

test('what another app shares becomes links', () => {
    const shared = (members) => sharedLinks(new URLSearchParams(members));
    assert.equal(shared({ shared_text: `Look! ${REEL}?igsh=abc` }), `${REEL}?igsh=abc`);
    assert.equal(shared({ shared_title: 'A reel', shared_url: REEL, shared_text: REEL }), REEL);
    assert.equal(shared({ shared_text: 'no link' }), 'no link');
    assert.equal(shared({ q: 'pasta', shared_text: ' ' }), '');
});
