import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor, hitEntries } from '../../../src/dashboard/web/palette/commands.js';

const labels = (text, isAdmin = true) => commandsFor(text, isAdmin).map(({ label }) => label);

test('commands are found by the beginnings of their words and other names', () => {
    assert.deepEqual(labels('tok'), ['Usage', 'Tokens']);
    assert.deepEqual(labels('API key'), ['Tokens']);
    assert.deepEqual(labels('admin acc'), ['Admin: Access', 'Admin: Accounts']);
    assert.deepEqual(labels('xyz'), []);
});

test('only administrators have commands of the page Admin', () => {
    assert.ok(labels('', true).includes('Admin: Queue'));
    assert.ok(!labels('', false).some((label) => label.startsWith('Admin')));
});

test('a number is a reel, and a link can be analysed', () => {
    assert.deepEqual(commandsFor(' #42 ', false)[0], { kind: 'page', label: 'Reel #42', value: '/reels/42' });
    assert.deepEqual(commandsFor('see instagram.com/reel/DYa0IXPgnP5/!', false)[0],
        { kind: 'link', label: 'Analyse this link', value: 'https://instagram.com/reel/DYa0IXPgnP5/' });
    assert.deepEqual(labels('0'), []);
    assert.deepEqual(labels('tiktok.com/@a/video/1'), []);
});

test('a hit opens at its time', () => {
    const headlineOf = ({ summary }) => summary;
    assert.deepEqual(hitEntries([{ id: 1, summary: 'Coffee', match: { seconds: 0 } }, { id: 2, summary: 'Tea', match: {} }], headlineOf)
        .map(({ value }) => value), ['/reels/1#t=0', '/reels/2']);
});
