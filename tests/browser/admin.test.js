// Administration: accounts and their limits, the queue, failures.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { firstAdministrator, invited, PASSWORD, startDaemon, UNAVAILABLE } from './daemon.js';
import { launchBrowser, Visitor, WIDTHS } from './visitor.js';

let daemon;
let browser;
let administrator;

before(async () => {
    [daemon, browser] = await Promise.all([startDaemon(), launchBrowser()]);
    administrator = await firstAdministrator(daemon);
});

after(async () => {
    await browser?.close();
    await daemon?.stop();
});

async function accountOf(email) {
    const accounts = await administrator.request('GET', '/api/admin/accounts');
    return accounts.find((one) => one.email === email);
}

for (const width of WIDTHS) {
    test(`an account is invited, edited and disabled, at ${width} px`, async () => {
        const email = `made-${width}@example.test`;
        const visitor = await Visitor.open(browser, daemon, { person: administrator, width });
        const { page } = visitor;
        await visitor.visit('/admin');
        await page.getByRole('button', { name: 'Invite a user' }).click();
        const dialog = page.getByRole('dialog');
        await visitor.waitForFocus(dialog.getByLabel('E-mail address'));
        await page.keyboard.type(email);
        await page.keyboard.press('Enter');
        const link = await dialog.locator('.copied .code').innerText();
        await visitor.waitForFocus(dialog.getByRole('button', { name: 'Copy the link' }));
        await dialog.getByRole('button', { name: 'Done' }).click();
        await page.locator('.account', { hasText: email }).getByText('Invited').waitFor();
        await page.getByRole('button', { name: `New invitation for ${email}` }).waitFor();

        const guest = await Visitor.open(browser, daemon, { width });
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
        const limited = await accountOf(email);
        assert.deepEqual([limited.submissions_per_minute, limited.monthly_budget_usd], [25, 2.5]);

        await page.getByRole('button', { name: `Edit ${email}` }).click();
        await dialog.getByRole('button', { name: 'Disable this account' }).click();
        await page.locator('.account', { hasText: email }).getByText('Disabled').waitFor();
        await guest.page.getByLabel('Pages').getByRole('link', { name: 'Tokens' }).click();
        await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await guest.close();

        await page.getByRole('button', { name: `Edit ${email}` }).click();
        await dialog.getByRole('button', { name: 'Enable this account' }).click();
        await page.locator('.account', { hasText: email }).getByText('Active').waitFor();
        await page.getByRole('button', { name: `Reset password for ${email}` }).click();
        await dialog.getByText('Older links that were not used stop working immediately.').waitFor();
        await dialog.getByRole('button', { name: 'Create link' }).click();
        await dialog.getByRole('heading', { name: 'A new link to set a password' }).waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await visitor.assertFits();
        visitor.assertClean();
        await visitor.close();
    });

    test(`the queue, the health and recent failures, at ${width} px`, async () => {
        const failed = await administrator.finished(UNAVAILABLE);
        const visitor = await Visitor.open(browser, daemon, { person: administrator, width });
        const { page } = visitor;
        await visitor.visit('/admin');
        await page.getByText('Workers busy').waitFor();
        await page.getByRole('heading', { name: 'Resolvers' }).waitFor();
        const way = page.locator('.line', { hasText: 'page' });
        if (width === WIDTHS[0]) {
            await way.getByText('Not used yet').first().waitFor();
        }
        await administrator.finished(daemon.hostileLink);
        await way.getByText('Ready').first().waitFor();
        // It refreshes automatically.
        await page.waitForResponse((answer) => answer.url().endsWith('/admin/overview'));
        const row = page.locator('tr', { has: page.getByRole('button', { name: `Retry reel ${failed.id}` }) });
        await row.getByText('1 failed attempt').click();
        await row.getByText('video_unavailable').waitFor();
        await row.getByText('in step resolve').waitFor();
        const retry = page.waitForResponse((answer) => answer.url().endsWith('/admin/failures/retry'));
        await page.getByRole('button', { name: `Retry reel ${failed.id}` }).click();
        const { jobs } = await (await retry).json();
        assert.equal(jobs[0].id, failed.id);
        await page.getByText('1 reel submitted again for its account.').waitFor();
        await visitor.assertFits();
        visitor.assertClean();
        await visitor.close();
    });
}

test('only administrators can open the page', async () => {
    const person = await invited(administrator, 'member@example.test');
    const visitor = await Visitor.open(browser, daemon, { person });
    await visitor.visit('/admin');
    await visitor.page.getByRole('heading', { name: 'Not found' }).waitFor();
    assert.equal(await visitor.page.getByRole('link', { name: 'Admin' }).count(), 0);
    visitor.assertClean();
    await visitor.close();
});
