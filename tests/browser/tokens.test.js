// Tokens: shown once, valid immediately, rejected immediately after revocation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();

async function statusWith(token) {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${daemon.origin}/api/v1/reels`, { headers })).status;
}

for (const width of WIDTHS) {
    test(`a token is created, copied and revoked, at ${width} px`, async () => {
        const name = `my <b>script</b> ${width}`;
        if (width === WIDTHS[0]) {
            await administrator.request('POST', '/api/tokens', { name: 'next to it' });
        }
        const { visitor, page } = await open({ person: administrator, width });
        await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
        await visitor.visit('/tokens');
        await page.getByLabel('Name of the new token').fill(name);
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.getByRole('heading', { name: `Copy “${name}” now` }).waitFor();
        await visitor.waitForFocus(page.getByRole('button', { name: 'Copy the token' }));
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const token = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(token, /^rls_[A-Za-z0-9]{40}$/);
        assert.equal(await statusWith(token), 200);
        await page.getByRole('button', { name: 'Copy the curl line' }).click();
        const line = await page.evaluate(() => navigator.clipboard.readText());
        assert.ok(line.includes(`Bearer ${token}`) && line.includes(daemon.origin), line);
        await page.getByRole('button', { name: 'Copy the second curl line' }).click();
        const second = await page.evaluate(() => navigator.clipboard.readText());
        assert.ok(second.includes('/api/v1/reels/ID?wait=60') && second.includes(`Bearer ${token}`), second);
        await visitor.assertFits();

        // It is still shown after a visit to another page.
        await page.getByLabel('Pages').getByRole('link', { name: 'Usage' }).click();
        await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
        await page.getByLabel('Pages').getByRole('link', { name: 'Tokens' }).click();
        await page.getByRole('heading', { name: `Copy “${name}” now` }).waitFor();
        assert.equal(await page.getByText(token, { exact: true }).count(), 1);

        await page.getByLabel('Name of the new token').fill(name);
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.locator('.field-error').waitFor();

        await page.getByRole('button', { name: 'Done' }).click();
        await visitor.waitForFocus(page.getByLabel('Name of the new token'));
        assert.equal(await page.getByText(token).count(), 0);
        await page.reload();
        await page.locator('.line', { hasText: name }).waitFor();
        assert.equal(await page.getByText(token).count(), 0);

        await page.getByRole('button', { name: `Revoke ${name}` }).click();
        await visitor.waitForFocus(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.equal(await statusWith(token), 200, 'Escape revokes nothing');
        await page.getByRole('button', { name: `Revoke ${name}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.locator('.line-over', { hasText: name }).waitFor();
        await page.getByText(`“${name}” is revoked.`).waitFor();
        await visitor.waitForFocus(page.getByRole('button', { name: 'Revoke next to it' }));
        assert.equal(await statusWith(token), 401);

        // A limited token: its row says so, and its page shows what it can do.
        await page.getByLabel('Name of the new token').fill(`reader ${width}`);
        await page.getByLabel('Scope').selectOption({ label: 'Read only' });
        await page.getByLabel('Expires').selectOption({ label: 'In 7 days' });
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.getByText('List your reels with curl').waitFor();
        assert.equal(await page.getByText('Submit a reel with curl').count(), 0);
        const row = page.locator('.line', { hasText: `reader ${width}` });
        await row.getByText('Read only').waitFor();
        const listed = (await administrator.request('GET', '/api/tokens')).find((one) => one.name === `reader ${width}`);
        assert.equal(listed.scope, 'read');
        assert.equal(Date.parse(listed.expires_at) - Date.parse(listed.created_at), 7 * 24 * 3600 * 1000);
        await visitor.assertFits();
        await visitor.assertAccessible();
        await page.getByRole('button', { name: 'Done' }).click();
        await administrator.request('DELETE', `/api/tokens/${listed.id}`); // The next width focuses its neighbour.

        // Revocation hides a secret that is still shown.
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.getByText('This field is required.').waitFor();
        await visitor.waitForFocus(page.getByLabel('Name of the new token'));
        await page.keyboard.type(`short-lived ${width}`);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: `Revoke short-lived ${width}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.locator('.fresh').waitFor({ state: 'detached' });
        visitor.assertClean('409 /dashboard/api/tokens');
    });
}
