import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor, hitEntries, listedReels, numberedReel, pageEntries, reelNumber, searchEntry } from '../../../src/dashboard/web/palette/commands.js';

const labels = (text, isAdmin = true) => commandsFor(text, isAdmin).map(({ label }) => label);

test('commands are found by the beginnings of their words and other names', () => {
    assert.deepEqual(labels('tok'), ['Create a token', 'Tokens', 'Usage']);
    assert.deepEqual(labels('API key'), ['Create a token', 'Tokens']);
    assert.deepEqual(labels('docs'), ['Open the documentation']);
    assert.deepEqual(labels('admin acc'), ['Admin: Access', 'Admin: Accounts']);
    assert.deepEqual(labels('xyz'), []);
});

test('only administrators have commands of the page Admin', () => {
    assert.ok(labels('', true).includes('Admin: Queue'));
    assert.ok(!labels('', false).some((label) => label.startsWith('Admin')));
});

test('the list is filtered by status, and the session ended', () => {
    assert.deepEqual(labels('running'), ['Show running reels']);
    assert.deepEqual(labels('filter', false), ['Show waiting reels', 'Show running reels', 'Show finished reels', 'Show failed reels']);
    assert.deepEqual(labels('sign out'), ['Sign out']);
});

test('commands have the keys of their shortcuts', () => {
    assert.deepEqual(commandsFor('usage', false), [{ kind: 'page', label: 'Usage', value: '/usage', icon: 'usage', keys: ['G', 'U'] }]);
    assert.deepEqual(commandsFor('upload', false), [{ kind: 'action', label: 'Upload a video', value: 'upload', icon: 'upload' }]);
});

test('a number is a reel, and a link can be analysed', () => {
    assert.deepEqual([' #42 ', '42', '0', '4a', ''].map(reelNumber), [42, 42, null, null, null]);
    const headlineOf = ({ summary }) => summary;
    assert.deepEqual(numberedReel(42, null, headlineOf), { kind: 'page', label: 'Reel #42', value: '/reels/42', icon: 'reels' });
    assert.deepEqual(numberedReel(42, { id: 42, summary: 'Coffee', author: 'anna', status: 'done' }, headlineOf),
        { kind: 'page', label: 'Coffee', value: '/reels/42', icon: 'done', detail: 'anna · #42' });
    assert.deepEqual(commandsFor('see instagram.com/reel/DYa0IXPgnP5/!', false)[0],
        { kind: 'link', label: 'Analyse this link', value: 'https://instagram.com/reel/DYa0IXPgnP5/', icon: 'reels' });
    assert.deepEqual(labels('0'), []);
    assert.deepEqual(labels('tiktok.com/@a/video/1'), []);
});

test('the actions of the shown page are found by their labels', () => {
    const run = () => {};
    const actions = [{ name: 'tag', label: 'Add a tag', icon: 'tag', keys: ['T'], run }, { name: 'delete', label: 'Delete', icon: 'trash', run }];
    assert.deepEqual(pageEntries(actions, ' ').map(({ label }) => label), ['Add a tag', 'Delete']);
    assert.deepEqual(pageEntries(actions, 'tag'), [{ kind: 'own', label: 'Add a tag', value: 'tag', icon: 'tag', keys: ['T'], run }]);
});

test('a hit opens at its time', () => {
    const headlineOf = ({ summary }) => summary;
    assert.deepEqual(hitEntries([{ id: 1, summary: 'Coffee', match: { seconds: 0 } }, { id: 2, summary: 'Tea', match: {} }], headlineOf)
        .map(({ value }) => value), ['/reels/1#t=0', '/reels/2']);
});

test('reels are found by the beginnings of the words in their titles', () => {
    const reels = [{ id: 3, summary: 'Three ways to make better coffee' }, { id: 2, summary: 'Tea' }, { id: 1, summary: 'Café visit' }];
    const found = (text) => listedReels(reels, text, ({ summary }) => summary).map(({ value }) => value);
    assert.deepEqual(found('coff'), ['/reels/3']);
    assert.deepEqual(found('bet cof'), ['/reels/3']);
    assert.deepEqual(found('cafe'), ['/reels/1']);
    assert.deepEqual(found('offee'), []);
    assert.deepEqual(found(''), ['/reels/3', '/reels/2', '/reels/1']);
});

test('reels with the same title differ by state, author and number', () => {
    const reels = [{ id: 9, summary: 'Coffee', status: 'done', author: 'anna' }, { id: 8, summary: 'Coffee', status: 'error' }];
    assert.deepEqual(listedReels(reels, '', ({ summary }) => summary).map(({ icon, detail }) => [icon, detail]),
        [['done', 'anna · #9'], ['error', '#8']]);
});

test('all hits for a text can be shown', () => {
    assert.deepEqual(searchEntry('a & b'), { kind: 'page', label: 'Search for “a & b”', value: '/?q=a%20%26%20b', icon: 'search' });
});
