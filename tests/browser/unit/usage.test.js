import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    axisOf, dayColumns, modelName, modelSums, purposeName, reelColumns, SERIES_MAX, sumMoney,
} from '../../../src/dashboard/web/usage/grouping.js';
import { limitRows } from '../../../src/dashboard/web/usage/limit_rows.js';
import { daysBetween, rangeDays, rangeProblem } from '../../../src/dashboard/web/usage/ranges.js';

const NOW = Date.parse('2026-03-02T23:59:00Z');
const row = (date, model, cost, tokens = 100) =>
    ({ date, provider: 'p', model, calls: 1, total_tokens: tokens, cost_usd: cost });

test('ranges end today, by UTC', () => {
    assert.deepEqual(rangeDays('7', NOW), { from: '2026-02-24', to: '2026-03-02' });
    assert.deepEqual(rangeDays('month', NOW), { from: '2026-03-01', to: '2026-03-02' });
});

test('all days of a range, over the end of a month', () => {
    assert.deepEqual(daysBetween('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01']);
    assert.deepEqual(daysBetween('2026-03-01', '2026-02-27'), []);
});

test('a custom range is checked', () => {
    assert.equal(rangeProblem('2026-03-01', '2026-03-01'), null);
    assert.match(rangeProblem('', '2026-03-01'), /Choose/);
    assert.match(rangeProblem('2026-03-02', '2026-03-01'), /after/);
    assert.match(rangeProblem('2020-03-02', '2026-03-01'), /two years/);
});

test('sums of money have no rounding noise', () => {
    assert.equal(sumMoney([0.1, 0.2]), 0.3);
    assert.equal(sumMoney([]), 0);
});

test('models are summed, most expensive first', () => {
    const rows = [row('2026-03-01', 'a', 0.1), row('2026-03-02', 'a', 0.2), row('2026-03-02', 'b', 1, 10)];
    assert.deepEqual(modelSums(rows, 'money'), [{ name: 'b', amount: 1 }, { name: 'a', amount: 0.3 }]);
    assert.deepEqual(modelSums(rows, 'tokens').map(({ name }) => name), ['a', 'b']);
    assert.equal(modelName({ provider: 'local', model: '' }), 'local');
});

test('columns stack the models of each day, even of days without any', () => {
    const rows = [row('2026-03-01', 'a', 0.1), row('2026-03-01', 'b', 0.2), row('2026-02-01', 'b', 9)];
    const [none, both] = dayColumns(rows, ['2026-02-28', '2026-03-01'], ['b', 'a'], 'money');
    assert.deepEqual(none, { date: '2026-02-28', total: 0, parts: [] });
    assert.equal(both.total, 0.3);
    assert.deepEqual(both.parts.map(({ name, from, to }) => [name, from, to]),
        [['b', 0, 0.2], ['a', 0.2, 0.3]]);
});

test('columns and sums are also by purpose', () => {
    const rows = [{ ...row('2026-03-01', 'a', 0.1), purpose: 'ask' }, { ...row('2026-03-01', 'a', 0.3), purpose: 'analysis' },
        { ...row('2026-03-01', 'e', 0.2), purpose: 'embedding' }, row('2026-03-01', 'old', 0.1)];
    assert.deepEqual(modelSums(rows, 'money', purposeName), [{ name: 'Analyses', amount: 0.4 },
        { name: 'Embeddings', amount: 0.2 }, { name: 'Questions', amount: 0.1 }]);
    const [column] = dayColumns(rows, ['2026-03-01'], ['Analyses', 'Questions', 'Embeddings'], 'money', purposeName);
    assert.deepEqual(column.parts.map(({ name, amount }) => [name, amount]),
        [['Analyses', 0.4], ['Questions', 0.1], ['Embeddings', 0.2]]);
});

test('an unknown cost is 0, and the number of colours is limited', () => {
    const names = Array.from({ length: 9 }, (_, index) => `m${index}`);
    const rows = [...names.map((name) => row('2026-03-01', name, 1)), row('2026-03-01', 'm0', null)];
    const [column] = dayColumns(rows, ['2026-03-01'], names, 'money');
    assert.equal(column.total, 9);
    assert.equal(Math.max(...column.parts.map((part) => part.series)), SERIES_MAX - 1);
});

test('columns of reels have days without any, and an axis of whole numbers', () => {
    const columns = reelColumns([{ date: '2026-03-02', reels: 3 }, { date: '2026-03-03', reels: 0 }], ['2026-03-01', '2026-03-02', '2026-03-03']);
    assert.deepEqual(columns.map(({ total }) => total), [0, 3, 0]);
    assert.deepEqual(columns[1].parts, [{ name: 'Reels', series: 0, amount: 3, from: 0, to: 3 }]);
    for (const [largest, marks] of [[1, [0, 1]], [3, [0, 1, 2, 3]], [9, [0, 5, 10]], [41, [0, 20, 40, 60]], [90, [0, 25, 50, 75, 100]]]) {
        assert.deepEqual(axisOf(largest, true).marks, marks);
    }
});

test('an axis has round marks up to at least the largest value', () => {
    assert.deepEqual(axisOf(0), { top: 1, marks: [0] });
    assert.deepEqual(axisOf(0.123).marks, [0, 0.05, 0.1, 0.15]);
    for (const largest of [0.00031, 1, 7, 99, 123456]) {
        const { top, marks } = axisOf(largest);
        assert.ok(top >= largest && top < largest * 2.1, `${largest}: ${top}`);
        assert.ok(marks.length >= 3 && marks.length <= 6, `${largest}: ${marks}`);
    }
});

test('limits are shown next to what is used', () => {
    const limits = { reels: 10_000, active_jobs: 5, concurrent_jobs: 3, queued_jobs: 1000, submissions_per_minute: 10,
        requests_per_minute: 600, video_seconds_max: 90, video_bytes_max: 104_857_600 };
    const rows = limitRows(limits, { monthly_budget_usd: null, spent_this_month_usd: 0.5, estimated_this_month_usd: 0.25 });
    const row = (name) => rows.filter((one) => one.name.startsWith(name)).map(({ used, allowed }) => [used, allowed])[0];
    assert.deepEqual(row('Reels analysed'), ['3', '3']);
    assert.deepEqual(row('Reels waiting'), ['2', '1,000']);
    assert.deepEqual(row('Reels stored'), ['10,000 or more', 'no limit']);
    assert.deepEqual(row('Cost'), ['$0.75, of which $0.25 estimated', 'no limit']);
    assert.deepEqual(row('Size'), [null, '100 MiB']);
});
