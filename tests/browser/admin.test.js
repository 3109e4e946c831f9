// Administration: accounts and their limits, the queue, failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, PASSWORD, RATE_LIMITED, SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();

async function accountOf(email) {
    const accounts = await administrator.request('GET', '/api/admin/accounts');
    return accounts.find((one) => one.email === email);
}

for (const width of WIDTHS) {
    test(`an account is invited, edited and disabled, at ${width} px`, async () => {
        const email = `made-${width}@example.test`;
        const { visitor, page } = await open({ person: administrator, width });
        await visitor.visit('/admin?tab=accounts');
        await page.keyboard.press('Control+k');
        await page.keyboard.type('invite');
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        // On phones, it covers the next button.
        const closeMessage = () => page.getByRole('button', { name: 'Close this message' }).click();
        await visitor.waitForFocus(dialog.getByLabel('E-mail address'));
        await page.keyboard.type(email);
        await page.keyboard.press('Enter');
        const link = await dialog.locator('.copied .code').innerText();
        await visitor.waitForFocus(dialog.getByRole('button', { name: 'Copy the link' }));
        await dialog.getByText("This link works on the server's own machine only.").waitFor();
        await dialog.getByRole('button', { name: 'Done' }).click();
        await page.locator('.account', { hasText: email }).getByText('Invited').waitFor();
        await page.getByRole('button', { name: `New invitation for ${email}` }).waitFor();

        const { visitor: guest } = await open({ width });
        await guest.visit(link.replace(/^https?:\/\/[^/]+/, ''));
        await guest.page.getByLabel('Password').fill(PASSWORD);
        await guest.page.keyboard.press('Enter');
        await guest.page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();

        await page.getByRole('button', { name: `Edit ${email}` }).click();
        await dialog.getByLabel('Reels a minute').fill('none');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.locator('.field-error').waitFor();
        await dialog.getByLabel('Reels a minute').fill('25');
        await dialog.getByLabel('Monthly budget in US dollars').fill('2.50');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.locator('.account', { hasText: email }).getByText('25 reels a minute').waitFor();
        await closeMessage();
        const limited = await accountOf(email);
        assert.deepEqual([limited.submissions_per_minute, limited.monthly_budget_usd], [25, 2.5]);

        await page.getByRole('button', { name: `Edit ${email}` }).click();
        await dialog.getByRole('button', { name: 'Disable this account' }).click();
        await page.locator('.account', { hasText: email }).getByText('Disabled').waitFor();
        await closeMessage();
        await guest.page.getByLabel('Pages').getByRole('link', { name: 'Tokens' }).click();
        await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await guest.close();

        await page.getByRole('button', { name: `Edit ${email}` }).click();
        await dialog.getByRole('button', { name: 'Enable this account' }).click();
        await page.locator('.account', { hasText: email }).getByText('Active').waitFor();
        await closeMessage();
        await page.getByRole('button', { name: `Reset password for ${email}` }).click();
        await dialog.getByText('Older links that were not used stop working immediately.').waitFor();
        await dialog.getByRole('button', { name: 'Create link' }).click();
        await dialog.getByRole('heading', { name: 'A new link to set a password' }).waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`the queue, the resolvers, the models and the failures have tabs, at ${width} px`, async () => {
        const failed = await administrator.finished(RATE_LIMITED);
        const gone = await administrator.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person: administrator, width });
        const show = (name) => page.getByRole('tab', { name }).click();
        await visitor.visit('/admin');
        await page.getByText('Workers busy').waitFor();
        await show('Models');
        await page.getByText('gemini-3.8-flash').first().waitFor();
        await page.keyboard.press('ArrowLeft');
        const resolver = page.locator('.line', { hasText: 'Public page' });
        await resolver.getByText(width === WIDTHS[0] ? 'Not used yet' : 'Ready').waitFor();
        assert.equal(new URL(page.url()).search, '?tab=access');
        await administrator.finished(daemon.hostileLink);
        await resolver.getByText('Ready').waitFor(); // It refreshes automatically.

        await show('Failures');
        await page.getByRole('button', { name: 'Show only unavailable' }).waitFor();
        const buttons = page.locator('.line', { hasText: 'rate_limited' }).locator('.line-tools button');
        const [first, last] = [await buttons.first().boundingBox(), await buttons.last().boundingBox()];
        assert.ok(first.x < last.x && first.y === last.y, 'the buttons of a cause are on one line');
        const { height } = page.viewportSize();
        await page.setViewportSize({ width: 320, height });
        for (const cause of await page.locator('.line', { has: page.locator('h3 code') }).all()) {
            const code = await cause.locator('code').boundingBox();
            const tools = await cause.locator('.line-tools').boundingBox();
            assert.ok(code.x + code.width <= tools.x || code.y + code.height <= tools.y, 'a button covers the code');
        }
        await page.setViewportSize({ width, height });
        const row = page.locator('tr', { has: page.getByRole('button', { name: `Try again: reel ${failed.id}` }) });
        await row.getByText('1 failed attempt').click();
        await row.getByText('platform_rate_limited').waitFor();
        assert.equal(await page.getByRole('button', { name: `Try again: reel ${gone.id}` }).count(), 0, 'it would fail again');
        assert.equal(await page.getByRole('button', { name: /: unavailable$/ }).count(), 0);
        await page.getByRole('button', { name: 'Show only unavailable' }).click();
        await row.waitFor({ state: 'detached' });
        assert.equal(await page.getByRole('link', { name: String(gone.id), exact: true }).getAttribute('href'), `/reels/${gone.id}`);
        await page.getByRole('button', { name: 'Show only unavailable' }).click();
        const retry = page.waitForResponse((answer) => answer.url().endsWith('/admin/failures/retry'));
        await page.getByRole('button', { name: `Try again: reel ${failed.id}` }).click();
        const { jobs } = await (await retry).json();
        assert.equal(jobs[0].id, failed.id);
        await page.getByText('1 reel submitted again for its account.').waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'Failed reels' }).waitFor();
        await visitor.assertFits();
        visitor.assertClean();
    });
}

test('running jobs show for how long, and on which machine', async () => {
    const { visitor, page } = await open({ person: administrator });
    await page.route('**/dashboard/api/admin/overview', async (route) => {
        const response = await route.fetch();
        const running = [{ id: 7, email: 'ann@example.test', url: SAMPLE, worker: 'reels-1:42:0a1b', attempt: 1,
            started_at: new Date(Date.now() - 75_000).toISOString(), step: 'analyze' }];
        await route.fulfill({ response, json: { ...await response.json(), running } });
    });
    await visitor.visit('/admin');
    const row = page.locator('tr', { hasText: 'ann@example.test' });
    await row.getByText('Analysing').waitFor();
    await row.getByText('reels-1', { exact: true }).waitFor();
    await row.getByText(/^1 min 1\d s$/).waitFor();
    visitor.assertClean();
});

test('only administrators can open the page', async () => {
    const person = await invited(administrator, 'member@example.test');
    const { visitor } = await open({ person });
    await visitor.visit('/admin');
    await visitor.page.getByRole('heading', { name: 'Not found' }).waitFor();
    assert.equal(await visitor.page.getByRole('link', { name: 'Admin' }).count(), 0);
    visitor.assertClean();
});
