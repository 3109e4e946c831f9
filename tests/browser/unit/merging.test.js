import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    announcementOf, fitsFilter, withPage, withReel, withTop, withoutReel,
} from '../../../src/dashboard/web/reels/merging.js';

const ALL = { status: '', author: '' };
const reel = (id, status = 'done', more = {}) => ({ id, status, ...more });
const idsOf = (reels) => reels.map((one) => one.id);

test('a filter wants status and author', () => {
    assert.ok(fitsFilter(reel(1), ALL));
    assert.ok(fitsFilter(reel(1, 'done', { author: 'Nonna' }), { status: 'done', author: 'nonna' }));
    assert.ok(!fitsFilter(reel(1, 'error'), { status: 'done', author: '' }));
    assert.ok(!fitsFilter(reel(1), { status: '', author: 'nonna' }));
});

test('a new reel stands at its place', () => {
    assert.deepEqual(idsOf(withReel([reel(5), reel(3)], reel(6), ALL, true)), [6, 5, 3]);
    assert.deepEqual(idsOf(withReel([reel(5), reel(3)], reel(4), ALL, true)), [5, 4, 3]);
});

test('a reel below the last waits for its page', () => {
    const reels = [reel(5), reel(3)];
    assert.equal(withReel(reels, reel(2), ALL, true), reels);
    assert.deepEqual(idsOf(withReel(reels, reel(2), ALL, false)), [5, 3, 2]);
});

test('a change takes the place of what was there, and of nothing else', () => {
    const reels = [reel(5, 'pending'), reel(3)];
    const after = withReel(reels, reel(5, 'done'), ALL, false);
    assert.deepEqual(after.map((one) => one.status), ['done', 'done']);
    assert.equal(after[1], reels[1]);
});

test('a reel that no longer fits the filter leaves', () => {
    const reels = [reel(5, 'pending'), reel(3, 'pending')];
    assert.deepEqual(idsOf(withReel(reels, reel(5, 'done'), { status: 'pending', author: '' }, false)), [3]);
    assert.equal(withReel(reels, reel(9, 'done'), { status: 'pending', author: '' }, false), reels);
});

test('a page comes below, and its reels stand once', () => {
    assert.deepEqual(idsOf(withPage([reel(5), reel(3)], [reel(3), reel(2)])), [5, 3, 2]);
});

test('the newest anew keep what is older', () => {
    const shown = [reel(5, 'pending'), reel(4), reel(3), reel(2), reel(1)];
    const page = { items: [reel(6), reel(5), reel(3)], next: '/after-3' };
    const after = withTop(shown, '/after-1', page);
    assert.deepEqual(idsOf(after.reels), [6, 5, 3, 2, 1]); // 4 is gone.
    assert.equal(after.next, '/after-1');
    assert.deepEqual(withTop(shown.slice(0, 3), '/after-3', page).next, '/after-3');
});

test('the newest anew are all when there is no more', () => {
    const after = withTop([reel(5), reel(1)], '/after-1', { items: [reel(5)], next: null });
    assert.deepEqual(after, { reels: [reel(5)], next: null });
    assert.deepEqual(withTop([reel(5)], null, { items: [], next: null }), { reels: [], next: null });
});

test('a deleted reel is gone', () => {
    const reels = [reel(5), reel(3)];
    assert.deepEqual(idsOf(withoutReel(reels, 5)), [3]);
    assert.equal(withoutReel(reels, 7), reels);
});

test('only a change of status is told', () => {
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'done', { author: 'nonna' })),
        'Reel by nonna is done.');
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'error')), 'Reel 5 has failed.');
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'processing')), null);
    assert.equal(announcementOf(undefined, reel(5)), null);
});
