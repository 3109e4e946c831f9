import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elapsedWords, usualSeconds } from '../../../src/dashboard/web/reels/durations.js';

const START = Date.parse('2026-05-22T10:00:00Z');
const after = (seconds) => new Date(START + seconds * 1000).toISOString();
const done = (seconds) => ({ status: 'done', started_at: after(0), finished_at: after(seconds) });

test('the usual time is the median of the latest analyses, without copies', () => {
    assert.equal(usualSeconds([done(20), done(0.2), done(60), done(30)]), 30);
    assert.equal(usualSeconds([done(20), done(60), { ...done(5), status: 'error' }]), null);
    assert.equal(usualSeconds([...Array.from({ length: 10 }, () => done(9)), ...Array.from({ length: 90 }, () => done(90))]), 9);
    assert.equal(usualSeconds([]), null);
});

test('the running time is shown next to the usual one', () => {
    assert.equal(elapsedWords(START, START + 12_000, 20), 'for 12 s of about 20 s');
    assert.equal(elapsedWords(START, START + 65_000, 20), 'for 1 min 5 s, usually 20 s');
    assert.equal(elapsedWords(START, START + 3_000, null), 'for 3 s');
    assert.equal(elapsedWords(START, START - 3_000, null), 'for 0 s');
});
