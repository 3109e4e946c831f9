import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    formatAge, formatDateTime, formatDay, formatLength, formatMonth, formatTimecode, formatUtc,
} from '../../../src/dashboard/web/text/times.js';

test('a timecode has minutes and seconds, with optional tenths', () => {
    assert.equal(formatTimecode(0), '0:00');
    assert.equal(formatTimecode(12.5), '0:12');
    assert.equal(formatTimecode(12.5, true), '0:12.5');
    assert.equal(formatTimecode(59.96, true), '1:00.0');
    assert.equal(formatTimecode(605.04, true), '10:05.0');
    assert.equal(formatTimecode(-3), '0:00');
    assert.equal(formatTimecode(undefined), '0:00');
});

test('a duration has at most two units', () => {
    assert.equal(formatLength(0), '0 s');
    assert.equal(formatLength(48), '48 s');
    assert.equal(formatLength(60), '1 min');
    assert.equal(formatLength(200), '3 min 20 s');
    assert.equal(formatLength(2 * 3600 + 5 * 60 + 59), '2 h 5 min');
    assert.equal(formatLength(4 * 86400 + 3 * 3600), '4 d 3 h');
});

process.env.TZ = 'UTC';

test('an age is shown for a week', () => {
    const now = Date.parse('2026-05-22T12:00:00Z');
    assert.equal(formatAge('2026-05-22T11:59:30Z', now), 'just now');
    assert.equal(formatAge('2026-05-22T12:00:20Z', now), 'just now'); // Clocks may differ slightly.
    assert.equal(formatAge('2026-05-22T11:55:00Z', now), '5 min ago');
    assert.equal(formatAge('2026-05-22T09:00:00Z', now), '3 h ago');
    assert.equal(formatAge('2026-05-21T09:00:00Z', now), 'yesterday');
    assert.equal(formatAge('2026-05-20T09:00:00Z', now), '2 days ago');
    assert.equal(formatAge('2026-05-15T11:59:00Z', now), null);
    assert.equal(formatAge('2026-05-22T12:10:00Z', now), null);
    assert.equal(formatAge('no time', now), null);
});

test('dates use the requested time zone, and UTC in titles', () => {
    assert.equal(formatDateTime('2026-05-22T23:30:00Z', 'UTC'), '22 May 2026, 23:30');
    assert.equal(formatDateTime('2026-05-22T23:30:00Z', 'Europe/Berlin'), '23 May 2026, 01:30');
    assert.equal(formatUtc('2026-05-22T23:30:05Z'), '2026-05-22 23:30:05 UTC');
    assert.equal(formatUtc('no time'), '');
});

test('calendar days and months have no time zone', () => {
    assert.equal(formatDay('2026-05-01'), '1 May');
    assert.equal(formatDay('2026-05-22', true).replace(',', ''), 'Friday 22 May 2026');
    assert.equal(formatMonth('2026-11'), 'November 2026');
});

test('yesterday is the day before, not the last two days', () => {
    process.env.TZ = 'Europe/Berlin';
    const now = Date.parse('2026-05-22T08:00:00Z');
    assert.equal(formatAge('2026-05-21T07:00:00Z', now), 'yesterday');
    assert.equal(formatAge('2026-05-20T22:30:00Z', now), 'yesterday'); // 00:30 in Berlin.
    assert.equal(formatAge('2026-05-20T21:30:00Z', now), '2 days ago');
    process.env.TZ = 'UTC';
    assert.equal(formatAge('2026-05-20T22:30:00Z', now), '2 days ago');
});
