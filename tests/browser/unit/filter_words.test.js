import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyWords } from '../../../src/dashboard/web/reels/filter_words.js';

const NONE = { status: '', author: '', tag: '', from: '', to: '' };

test('an empty list names each part of its filter', () => {
    for (const [filter, words] of [
        [{ status: 'done', tag: 'nothing' }, 'No finished reels with the tag nothing'],
        [{ status: 'error', author: 'nonna.kitchen' }, 'No failed reels by nonna.kitchen'],
        [{ from: '2026-11-20' }, 'No reels submitted since 20 Nov'],
        [{ to: '2026-11-20' }, 'No reels submitted until 20 Nov'],
        [{ from: '2026-11-20', to: '2026-11-20' }, 'No reels submitted on 20 Nov'],
        [{ author: 'a', tag: 'b', from: '2026-11-20', to: '2026-12-01' }, 'No reels by a with the tag b submitted from 20 Nov to 1 Dec'],
    ]) {
        assert.equal(emptyWords({ ...NONE, ...filter }), words);
    }
});
