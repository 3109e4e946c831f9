import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { find, folded, OTHER_NAMES } from '../../../src/api/documents/viewer/ranking.js';

function entry(title, text, more = '', factor = 1) {
    return { title, text, more, factor, folded: { title: folded(title), parent: '', text: folded(text), names: OTHER_NAMES[title] ?? '' } };
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

test('sections and requests are found by what readers call them', () => {
    const entries = [
        entry('Authentication', 'Every request needs one.'), entry('Token leaked', 'Revoke it.', '', 0.25),
        entry('Limits', 'Per minute.'), entry('Links fail', 'The platform is rate limiting.', '', 0.25),
        entry('Safe retries', 'Send the same key again.'), entry('Errors', 'Retry later, safely.'),
        entry('Follow the progress of one reel', 'Reports it.'), entry('Get the picture of a key moment', 'A JPEG.'),
    ];
    for (const [typed, title] of [
        ['api key', 'Authentication'], ['how do I get a token', 'Authentication'], ['rate limiting', 'Limits'],
        ['too many requests', 'Limits'], ['how do I retry safely', 'Safe retries'], ['sse', 'Follow the progress of one reel'],
    ]) {
        assert.equal(find(entries, typed).found[0].title, title, typed);
    }
});

test('other names are those of titles in the documents', () => {
    const text = ['openapi.yaml', 'guide/client.md', 'guide/mcp.md'].map((file) =>
        readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')).join('\n');
    for (const title of Object.keys(OTHER_NAMES)) {
        assert.match(text, new RegExp(`^ *(?:#+|summary:) ${title}$`, 'm'));
    }
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
