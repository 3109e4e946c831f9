import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appliesAtOnce, DATE_CHOICES, daysOfChoice, daysWithFrom, daysWithTo, nameOfDays } from '../../../src/dashboard/web/reels/date_choices.js';

process.env.TZ = 'UTC';
const NOW = Date.parse('2026-03-02T23:59:00Z');

test('a choice of dates begins on a day in UTC and has no end', () => {
    assert.deepEqual(daysOfChoice('1', NOW), { from: '2026-03-02', to: '' });
    assert.deepEqual(daysOfChoice('7', NOW), { from: '2026-02-24', to: '' });
    assert.deepEqual(daysOfChoice('', NOW), { from: '', to: '' });
});

test('the days of a choice have its name, others are custom', () => {
    for (const [name] of DATE_CHOICES.filter(([one]) => one !== 'custom')) {
        assert.equal(nameOfDays(daysOfChoice(name, NOW).from, '', NOW), name);
    }
    assert.equal(nameOfDays('2026-02-23', '', NOW), 'custom');
    assert.equal(nameOfDays('', '2026-03-01', NOW), 'custom');
    assert.equal(nameOfDays('2026-02-24', '2026-03-01', NOW), 'custom');
});

test('a day on the wrong side of the other one removes it', () => {
    assert.deepEqual(daysWithTo('2020-01-31', '2026-02-24'), { from: '', to: '2020-01-31' });
    assert.deepEqual(daysWithTo('2026-02-24', '2026-02-24'), { to: '2026-02-24' });
    assert.deepEqual(daysWithTo('', '2026-02-24'), { to: '' });
    assert.deepEqual(daysWithFrom('2026-03-01', '2020-01-31'), { from: '2026-03-01', to: '' });
    assert.deepEqual(daysWithFrom('2020-01-01', ''), { from: '2020-01-01' });
});

test('a day that is being typed does not remove the other one', () => {
    for (const typed of ['0002-05-22', '0202-05-22', '2026-01-22']) {
        assert.ok(!appliesAtOnce('2026-02-24', typed), typed);
    }
    assert.ok(!appliesAtOnce('0202-05-22', ''));
    assert.ok(!appliesAtOnce('2026-11-01', '2026-05-22'));
    assert.ok(appliesAtOnce('2026-02-24', '2026-05-22'));
    assert.ok(appliesAtOnce('2026-02-24', '2026-02-24'));
    assert.ok(appliesAtOnce('2026-02-24', '') && appliesAtOnce('', '2026-05-22') && appliesAtOnce('', ''));
});

test('today begins on the day in UTC in which the local day begins', () => {
    const todayIn = (timeZone, time) => {
        process.env.TZ = timeZone;
        return daysOfChoice('1', Date.parse(time)).from;
    };
    assert.equal(todayIn('America/New_York', '2026-05-23T00:30:00Z'), '2026-05-22'); // In the evening.
    assert.equal(todayIn('America/New_York', '2026-05-22T12:00:00Z'), '2026-05-22');
    assert.equal(todayIn('Asia/Tokyo', '2026-05-22T20:00:00Z'), '2026-05-22'); // Early in the morning.
    assert.equal(todayIn('Asia/Tokyo', '2026-05-23T02:00:00Z'), '2026-05-22'); // At eleven in the morning.
    assert.equal(todayIn('Asia/Tokyo', '2026-05-23T16:00:00Z'), '2026-05-23');
    process.env.TZ = 'UTC';
});
