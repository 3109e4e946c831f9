// Usage: summary, chart, tables, export.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();
// Days are compared: wait until midnight UTC if it is near.
const untilMidnight = 86_400_000 - Date.now() % 86_400_000;
if (untilMidnight < 240_000) {
    await new Promise((resolve) => { setTimeout(resolve, untilMidnight + 1000); });
}
const person = await invited(administrator, 'person@example.test');
const job = await person.finished(daemon.hostileLink);
assert.equal(job.status, 'done', JSON.stringify(job));
const accounts = await administrator.request('GET', '/api/admin/accounts');
const { id } = accounts.find(({ email }) => email === person.email);
await administrator.request('PATCH', `/api/admin/accounts/${id}`, { monthly_budget_usd: 4 });

for (const width of WIDTHS) {
    test(`the chart and the tables show the usage, at ${width} px`, async () => {
        const [row] = await person.request('GET', '/api/reels/usage/days?from=2026-01-01&to=2099-12-31');
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/usage');
        await page.getByRole('img', { name: /^Cost by day and model/ }).waitFor();
        assert.ok(await page.locator('.chart rect.series').count() >= 1);
        const byModel = page.getByRole('region', { name: 'Usage by model' });
        await byModel.getByText(row.model).first().waitFor();
        assert.equal(await page.getByRole('region', { name: 'Usage by day and model' }).count(), 0, 'all rows are of one day');
        await page.getByRole('meter', { name: 'Spent of the monthly budget' }).waitFor();
        await page.getByText('of the monthly budget of $4.00').waitFor();
        const limit = (name) => page.locator('.limits tr', { hasText: name }).locator('td').allTextContents();
        await page.locator('.limits').waitFor();
        assert.deepEqual(await limit('Reels stored'), ['1', 'no limit']);
        assert.equal((await limit('Cost this month'))[1], '$4.00');
        assert.deepEqual(await limit('Other requests per minute'), ['–not counted', '100,000']);
        assert.deepEqual(await limit('Reels waiting in the queue'), ['0', '1,000']);
        assert.deepEqual(await limit('Length of a video'), ['–not counted', '1 min 30 s']);
        assert.deepEqual(await limit('Size of an uploaded video'), ['–not counted', '100 MiB']);
        await page.locator('.choices label', { hasText: /^Tokens$/ }).click();
        await page.getByRole('img', { name: /^Tokens by day and model/ }).waitFor();

        const day = page.getByRole('slider', { name: 'Day' });
        await day.focus();
        assert.match(await day.getAttribute('aria-valuetext'), new RegExp(`${row.model} `));
        await page.locator('.readout', { hasText: row.model }).waitFor();
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('Home');
        assert.equal(await day.getAttribute('aria-valuenow'), '0');

        await page.locator('.choices label', { hasText: '90 days' }).click();
        await byModel.waitFor();
        await page.locator('.choices label', { hasText: 'Custom' }).click();
        await page.getByLabel('From').fill('2020-01-05');
        await page.getByLabel('To', { exact: true }).fill('2020-01-01');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByText('The first day must not be after the last one.').waitFor();
        await page.getByLabel('To', { exact: true }).fill('2020-01-09');
        await page.getByRole('button', { name: 'Show' }).click();
        await page.getByRole('heading', { name: 'No usage on these days' }).waitFor();

        await page.locator('.choices label', { hasText: 'This month' }).click();
        await byModel.waitFor();
        const download = page.waitForEvent('download');
        await page.getByRole('link', { name: 'Download CSV' }).click();
        assert.match((await download).suggestedFilename(), /\.csv$/);
        await visitor.assertFits();
        visitor.assertClean();
    });
}

test('usage is split by purpose, and reels are counted where nothing was paid', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const row = (purpose, cost) => ({ date: today, provider: 'gemini', model: 'gemini-3.8-flash', purpose, calls: 2,
        prompt_tokens: 900, output_tokens: 100, total_tokens: 1000, cost_usd: cost });
    const { visitor, page } = await open({ person });
    await page.route('**/dashboard/api/reels/usage/days?*',
        (route) => route.fulfill({ json: [row('analysis', 0.03), row('ask', 0.002), row('embedding', 0.0001)] }));
    await page.route('**/dashboard/api/reels/usage?*',
        (route) => route.fulfill({ json: { by_day: [{ date: today, reels: 4, calls: 6, total_tokens: 3000, cost_usd: 0.0321 }] } }));
    await visitor.visit('/usage');
    const byPurpose = page.getByRole('region', { name: 'Usage by purpose' });
    assert.deepEqual(await byPurpose.locator('tr > :nth-child(-n+2)').allInnerTexts(),
        ['Purpose', 'Cost', 'Analyses', '$0.03', 'Questions', '$0.002', 'Embeddings', '$0.0001', 'All', '$0.0321']);
    await page.locator('.choices label', { hasText: 'By purpose' }).click();
    await page.getByRole('img', { name: /^Cost by day and purpose/ }).waitFor();
    await page.locator('.choices label', { hasText: /^Reels$/ }).click();
    await page.getByRole('img', { name: /^Reels done by day/ }).waitFor();
    await page.getByRole('slider', { name: 'Day' }).focus();
    await page.locator('.readout', { hasText: 'Reels 4' }).waitFor();
    visitor.assertClean();
});

test('the limits fit where a part of the cost is estimated', async () => {
    const { visitor, page } = await open({ person });
    await page.route('**/dashboard/api/reels/usage/budget', async (route) => {
        const response = await route.fetch();
        const estimated = { spent_this_month_usd: 0.1582, estimated_this_month_usd: 0.0218 };
        await route.fulfill({ response, json: { ...await response.json(), ...estimated } });
    });
    await visitor.visit('/usage');
    await page.locator('.limits', { hasText: '$0.18, of which $0.0218 estimated' }).waitFor();
    await visitor.assertLayout();
    visitor.assertClean();
});

test('without cost, the reels are counted', async () => {
    const day = (age) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10);
    const row = (date) => ({ date, provider: 'local', model: 'reelsd-local-4', purpose: 'analysis', calls: 3, prompt_tokens: 0,
        output_tokens: 0, total_tokens: 0, cost_usd: 0 });
    const { visitor, page } = await open({ person });
    await page.route('**/dashboard/api/reels/usage/days?*', (route) => route.fulfill({ json: [row(day(1)), row(day(0))] }));
    await page.route('**/dashboard/api/reels/usage?*', (route) => route.fulfill({ json: { by_day: [1, 0].map((age) =>
        ({ date: day(age), reels: age + 2, calls: 3, total_tokens: 0, cost_usd: 0 })) } }));
    await visitor.visit('/usage');
    await page.getByRole('img', { name: /^Reels done by day/ }).waitFor();
    const table = page.locator('section', { has: page.getByRole('heading', { name: 'Done by day' }) });
    assert.deepEqual(await table.locator('td.number').allInnerTexts(), ['2', '3', '5']);
    assert.equal(await page.getByRole('region', { name: 'Usage by model' }).count(), 0);
    await page.locator('.choices label', { hasText: /^Tokens$/ }).click();
    await page.getByRole('region', { name: 'Usage by day and model' }).waitFor();
    visitor.assertClean();
});
