import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find, folded } from '../../../src/api/documents/viewer/ranking.js';

function entry(title, text, more = '', factor = 1) {
    return { title, text, more, factor, folded: { title: folded(title), parent: '', text: folded(text) } };
}

const ENTRIES = [
    entry('Webhooks', 'A webhook is a request to your server when a reel has ended.'),
    entry('Uploads', 'Send the file of a video instead of a link.', 'multipart/form-data, upload_id, /reels/{id}'),
    entry('Rate limits', 'Requests per minute, and Retry-After.'),
    entry('Links fail', 'The rate limit of the platform; shows how long to wait.', '', 0.25),
];

function titles(typed) {
    return find(ENTRIES, typed).found.map(({ title }) => title);
}

test('entries have all words, and the words of a question do not count', () => {
    assert.deepEqual(titles('how do I upload a file'), ['Uploads']);
    assert.deepEqual(titles('rate limit'), ['Rate limits', 'Links fail']);
    assert.deepEqual(titles('how'), ['Links fail'], 'unless there are no others');
    for (const typed of ['upload_id', 'multipart/form-data', '/reels/{id}', 'retry-after']) {
        assert.equal(titles(typed).length, 1, typed);
    }
    assert.deepEqual(titles('eb'), [], 'a word begins with what is typed');
    assert.deepEqual(titles('  '), []);
});

test('mistyped words are corrected', () => {
    for (const [typed, corrected, title] of [
        ['webhok', 'webhook', 'Webhooks'], ['wbehook', 'webhook', 'Webhooks'], ['uplods', 'uploads', 'Uploads'],
        ['rate lmits', 'rate limits', 'Rate limits'],
    ]) {
        const { found, corrected: words } = find(ENTRIES, typed);
        assert.equal(words, corrected, typed);
        assert.equal(found[0].title, title, typed);
    }
    assert.deepEqual(find(ENTRIES, 'xyz'), { found: [], corrected: '' });
});

test('without an entry that has all words, half of them are enough', () => {
    assert.deepEqual(titles('upload webhook'), ['Webhooks', 'Uploads']);
    assert.deepEqual(titles('upload parrots bananas cucumbers'), []);
});

test('a result shows the passage around what was typed', () => {
    const [{ passage }] = find(ENTRIES, 'request to your').found;
    assert.deepEqual(passage, ['A webhook is a ', 'request to your', ' server when a reel has ended.']);
});
