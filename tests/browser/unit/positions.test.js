import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    momentSpans, neighbourStart, packRows, percentOf, playerAction, ruleTicks, secondsAfterAction, secondsAfterKey, secondsAt, segmentSpans, spansAt,
} from '../../../src/dashboard/web/reel/positions.js';

const span = (start, end) => ({ start, end, text: '' });

test('positions are percentages of the duration', () => {
    assert.equal(percentOf(15, 30), 50);
    assert.equal(percentOf(40, 30), 100);
    assert.equal(percentOf(-1, 30), 0);
    assert.equal(percentOf(1, 0), 0);
});

test('a pointer is at a tenth of a second', () => {
    assert.equal(secondsAt(50, 200, 31.2), 7.8);
    assert.equal(secondsAt(-5, 200, 31.2), 0);
    assert.equal(secondsAt(500, 200, 31.2), 31.2);
    assert.equal(secondsAt(5, 0, 31.2), 0);
});

test('the ruler has round steps', () => {
    assert.deepEqual(ruleTicks(31.2, 10), [0, 5, 10, 15, 20, 25, 30]);
    assert.deepEqual(ruleTicks(4, 10), [0, 1, 2, 3, 4]);
    assert.ok(ruleTicks(5000, 10).length <= 11);
});

test('a key moment lasts until the next, and the last one to the end', () => {
    const spans = momentSpans([
        { seconds: 0, description: 'a' }, { seconds: 1, description: 'b' }, { seconds: 30, description: 'c' },
    ], 31);
    assert.deepEqual(spans.map(({ start, end }) => [start, end]), [[0, 1], [1, 30], [30, 31]]);
    assert.equal(spans[1].text, 'b');
});

test('spans include their start and exclude their end', () => {
    const spans = segmentSpans([
        { start_seconds: 0, end_seconds: 4, text: 'a' }, { start_seconds: 4, end_seconds: 8, text: 'b' },
        { start_seconds: 3, end_seconds: 5, text: 'c' }, { start_seconds: 9, end_seconds: 9, text: 'd' },
    ]);
    assert.deepEqual(spansAt(spans, 0), [0]);
    assert.deepEqual(spansAt(spans, 4), [1, 2]);
    assert.deepEqual(spansAt(spans, 9), [3]); // A span of zero length is still visible.
    assert.deepEqual(spansAt(spans, 10), []);
});

test('overlapping spans get different rows', () => {
    assert.deepEqual(packRows([span(0, 4), span(3, 5), span(4, 6), span(5, 9)], 3), [0, 1, 0, 1]);
    assert.deepEqual(packRows([span(0, 9), span(1, 9), span(2, 9)], 2), [0, 1, 1]);
    assert.deepEqual(packRows([], 3), []);
});

test('neighbours exclude the current span', () => {
    const spans = [span(0, 1), span(8.5, 9), span(16, 17)];
    assert.equal(neighbourStart(spans, 8.5, 1), 16);
    assert.equal(neighbourStart(spans, 8.5, -1), 0);
    assert.equal(neighbourStart(spans, 16, 1), null);
    assert.equal(neighbourStart(spans, 0, -1), null);
});

test('keys move the cursor within the reel', () => {
    assert.equal(secondsAfterKey('ArrowRight', 1.2, 30), 1.7);
    assert.equal(secondsAfterKey('ArrowLeft', 0.2, 30), 0);
    assert.equal(secondsAfterKey('PageUp', 28, 30), 30);
    assert.equal(secondsAfterKey('Home', 28, 30), 0);
    assert.equal(secondsAfterKey('End', 2, 30.4), 30.4);
    assert.equal(secondsAfterKey('Tab', 2, 30), null);
});

test('keys of the player play, move, and go through the moments', () => {
    const moments = [span(2, 11), span(11, 20)];
    const after = (key, seconds) => secondsAfterAction(playerAction(key), seconds, moments, 30);
    assert.equal(playerAction(' ').type, 'toggle');
    for (const key of ['j', 'k', 'l', 'x']) { // J and K go to other reels.
        assert.equal(playerAction(key), null);
    }
    assert.equal(playerAction('Enter'), null);
    for (const [key, seconds, next] of [
        ['ArrowRight', 5, 7], ['ArrowRight', 29, 30], ['ArrowLeft', 2.345, 0.345], ['ArrowLeft', 1, 0], ['ArrowDown', 2, 11],
        ['ArrowDown', 11, null], ['ArrowUp', 12, 11], ['ArrowUp', 2, null],
    ]) {
        assert.equal(after(key, seconds), next, `${key} at ${seconds}`);
    }
});
