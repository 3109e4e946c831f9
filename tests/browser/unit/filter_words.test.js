import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterWords } from '../../../src/dashboard/web/reels/filter_words.js';

const NONE = { status: '', author: '', tag: '', from: '', to: '' };

test('words name each part of a filter', () => {
    for (const [filter, words] of [
        [{ status: 'done', tag: 'nothing' }, 'finished reels with the tag nothing'],
        [{ status: 'error', author: 'nonna.kitchen' }, 'failed reels by nonna.kitchen'],
        [{ from: '2026-11-20' }, 'reels submitted since 20 Nov'],
        [{ to: '2026-11-20' }, 'reels submitted until 20 Nov'],
        [{ from: '2026-11-20', to: '2026-11-20' }, 'reels submitted on 20 Nov'],
        [{ author: 'a', tag: 'b', from: '2026-11-20', to: '2026-12-01' }, 'reels by a with the tag b submitted from 20 Nov to 1 Dec'],
    ]) {
        assert.equal(filterWords({ ...NONE, ...filter }), words);
    }
});
