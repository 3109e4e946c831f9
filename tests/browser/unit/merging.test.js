import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    announcementOf, fitsFilter, lacksEarlier, postOf, withChanges, withPage, withReel, withTop, withoutReel,
} from '../../../src/dashboard/web/reels/merging.js';

const ALL = { status: '', author: '' };
const reel = (id, status = 'done', more = {}) => ({ id, status, ...more });
const idsOf = (reels) => reels.map((one) => one.id);

test('a filter compares status, author and tag', () => {
    assert.ok(fitsFilter(reel(1), ALL));
    assert.ok(fitsFilter(reel(1, 'done', { author: 'Nonna' }), { status: 'done', author: 'nonna' }));
    assert.ok(!fitsFilter(reel(1, 'error'), { status: 'done', author: '' }));
    assert.ok(!fitsFilter(reel(1), { status: '', author: 'nonna' }));
    assert.ok(fitsFilter(reel(1, 'done', { tags: ['pasta'] }), { ...ALL, tag: 'pasta' }));
    assert.ok(!fitsFilter(reel(1, 'done', { tags: ['pasta'] }), { ...ALL, tag: 'past' }));
    assert.ok(!fitsFilter(reel(1), { ...ALL, tag: 'pasta' }));
    const ofMay = reel(1, 'done', { created_at: '2026-05-22T23:59:59Z' });
    assert.ok(fitsFilter(ofMay, { ...ALL, from: '2026-05-22', to: '2026-05-22' }));
    assert.ok(!fitsFilter(ofMay, { ...ALL, from: '2026-05-23', to: '' }));
    assert.ok(!fitsFilter(ofMay, { ...ALL, from: '', to: '2026-05-21' }));
});

test('a new reel is inserted in order', () => {
    assert.deepEqual(idsOf(withReel([reel(5), reel(3)], reel(6), ALL, true)), [6, 5, 3]);
    assert.deepEqual(idsOf(withReel([reel(5), reel(3)], reel(4), ALL, true)), [5, 4, 3]);
});

test('a reel below the last one is left to its page', () => {
    const reels = [reel(5), reel(3)];
    assert.equal(withReel(reels, reel(2), ALL, true), reels);
    assert.deepEqual(idsOf(withReel(reels, reel(2), ALL, false)), [5, 3, 2]);
});

test('a change replaces only its reel', () => {
    const reels = [reel(5, 'pending'), reel(3)];
    const after = withReel(reels, reel(5, 'done'), ALL, false);
    assert.deepEqual(after.map((one) => one.status), ['done', 'done']);
    assert.equal(after[1], reels[1]);
});

test('a reel that no longer matches the filter is removed', () => {
    const reels = [reel(5, 'pending'), reel(3, 'pending')];
    assert.deepEqual(idsOf(withReel(reels, reel(5, 'done'), { status: 'pending', author: '' }, false)), [3]);
    assert.equal(withReel(reels, reel(9, 'done'), { status: 'pending', author: '' }, false), reels);
});

test('a post is its code, or the code in its link', () => {
    const url = (text) => postOf({ url: text });
    assert.equal(url('https://www.instagram.com/reel/DYa0IXPgnP5/'), 'DYa0IXPgnP5');
    assert.equal(url('http://instagram.com/ann/p/DYa0IXPgnP5?igsh=x'), 'DYa0IXPgnP5');
    assert.equal(url('https://www.instagram.com/p/DYa0IXPgnP5/?img_index=2'), 'DYa0IXPgnP5#2');
    assert.equal(url('https://www.instagram.com/share/reel/BAxyz12345'), 'BAxyz12345');
    assert.equal(url('https://www.instagram.com/share/BAxyz12345'), 'BAxyz12345');
    assert.equal(url('upload:video.mp4'), null);
    assert.equal(postOf({ url: 'upload:video.mp4', code: 'upload-0123456789ab' }), 'upload-0123456789ab');
});

test('a new reel replaces older ones of its post', () => {
    const url = 'https://www.instagram.com/reel/DYa0IXPgnP5/';
    const reels = [reel(5), reel(3, 'done', { url, earlier: 2 }), reel(1)];
    const after = withReel(reels, reel(6, 'pending', { url }), ALL, true);
    assert.deepEqual(idsOf(after), [6, 5, 1]);
    assert.equal(after[0].earlier, 3);
    assert.equal(withReel(after, reel(6, 'done', { url }), ALL, true)[0].earlier, 3);
    assert.equal(withReel(after, reel(3, 'error', { url }), ALL, true), after);
    assert.deepEqual(idsOf(withReel(reels, reel(6, 'pending', { url }), { status: 'done', author: '' }, true)), [5, 1]);
});

test('a page is appended without duplicates', () => {
    assert.deepEqual(idsOf(withPage([reel(5), reel(3)], [reel(3), reel(2)])), [5, 3, 2]);
});

test('refreshing the newest reels keeps older ones', () => {
    const shown = [reel(5, 'pending'), reel(4), reel(3), reel(2), reel(1)];
    const page = { items: [reel(6), reel(5), reel(3)], next: '/after-3' };
    const after = withTop(shown, '/after-1', page);
    assert.deepEqual(idsOf(after.reels), [6, 5, 3, 2, 1]); // 4 was removed.
    assert.equal(after.next, '/after-1');
    assert.deepEqual(withTop(shown.slice(0, 3), '/after-3', page).next, '/after-3');
});

test('the newest page replaces older reels of the same posts', () => {
    const url = 'https://www.instagram.com/reel/DYa0IXPgnP5/';
    const page = { items: [reel(6, 'pending', { url }), reel(5)], next: '/after-5' };
    assert.deepEqual(idsOf(withTop([reel(5), reel(3, 'done', { url }), reel(1)], null, page).reels), [6, 5, 1]);
});

test('refreshing a list of one page replaces it', () => {
    const after = withTop([reel(5), reel(1)], '/after-1', { items: [reel(5)], next: null });
    assert.deepEqual(after, { reels: [reel(5)], next: null });
    assert.deepEqual(withTop([reel(5)], null, { items: [], next: null }), { reels: [], next: null });
});

test('a deleted reel is removed', () => {
    const reels = [reel(5), reel(3)];
    assert.deepEqual(idsOf(withoutReel(reels, 5)), [3]);
    assert.equal(withoutReel(reels, 7), reels);
});

test('changes that arrive while a page is fetched outlast it', () => {
    const page = { reels: [reel(5, 'processing'), reel(4), reel(3)], next: '/after-3' };
    const changes = [{ id: 6, reel: reel(6, 'pending') }, { id: 5, reel: reel(5, 'done') }, { id: 4 }, { id: 1, reel: reel(1) }];
    const after = withChanges(page, changes, ALL);
    assert.deepEqual(after.reels.map(({ id, status }) => [id, status]), [[6, 'pending'], [5, 'done'], [3, 'done']]);
    assert.equal(after.next, '/after-3');
    assert.deepEqual(withChanges(page, [], ALL), page);

    const failed = { reels: [reel(6, 'error', { earlier: 2 })], next: null };
    const steps = ['pending', 'processing', 'error'].map((status) => ({ id: 6, reel: reel(6, status) }));
    assert.equal(withChanges(failed, steps, { status: 'error', author: '' }).reels[0].earlier, 2);
});

test('only changes of status are announced', () => {
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'done', { author: 'nonna' })),
        'Reel by nonna is done.');
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'error')), 'Reel 5 has failed.');
    assert.equal(announcementOf(reel(5, 'processing'), reel(5, 'processing')), null);
    assert.equal(announcementOf(undefined, reel(5)), null);
});

test('the number of earlier analyses is unknown for a new reel whose post is not shown', () => {
    const url = 'https://www.instagram.com/reel/DYa0IXPgnP5/';
    const lacks = (before, added, hasMore = true) => lacksEarlier(before, withReel(before, added, ALL, hasMore), added);
    assert.ok(lacks([reel(5)], reel(6, 'pending', { url })));
    assert.ok(!lacks([reel(5)], reel(6, 'pending', { url, earlier: 2 })));
    assert.ok(!lacks([reel(5, 'done', { url })], reel(6, 'pending', { url })), 'it replaces the earlier one');
    assert.ok(!lacks([reel(6, 'pending', { url })], reel(6, 'done', { url })), 'it is not new');
    assert.ok(!lacks([reel(5)], reel(4, 'pending', { url })), 'its page will contain it');
});
