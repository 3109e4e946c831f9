// Export and deletion of an account's data, by its user and by administrators.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { invited, PASSWORD, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();

for (const width of WIDTHS) {
    test(`an account is exported and deletes itself, at ${width} px`, async () => {
        const person = await invited(administrator, `leaver-${width}@example.test`);
        const reel = await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/account');
        const coming = page.waitForEvent('download');
        await page.getByRole('link', { name: 'Export everything' }).click();
        const download = await coming;
        assert.equal(download.suggestedFilename(), 'reels-export.ndjson');
        const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n').map(JSON.parse);
        assert.deepEqual(lines.at(-1), { type: 'end', lines: lines.length - 1 });
        assert.deepEqual(lines.filter(({ type }) => type === 'reel').map(({ id }) => id), [reel.id]);

        await page.getByRole('button', { name: 'Delete account' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Password', { exact: true }).fill('not the password');
        await dialog.getByRole('button', { name: 'Delete everything' }).click();
        await dialog.locator('.field-error').waitFor();
        await visitor.assertFits();
        await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await dialog.getByRole('button', { name: 'Delete everything' }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        visitor.assertClean('400 /dashboard/api/account/deletion');
        await visitor.close();
        await assert.rejects(person.request('GET', '/api/session'), /401/);
    });

    test(`an administrator deletes an account, at ${width} px`, async () => {
        const email = `unwanted-${width}@example.test`;
        await invited(administrator, email);
        const { visitor, page } = await open({ person: administrator, width });
        await visitor.visit('/admin?tab=accounts');
        await page.getByRole('button', { name: `Delete ${email}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete everything' }).click();
        await page.getByText(`${email} is being deleted.`).waitFor();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await visitor.assertFits();
        visitor.assertClean();
        await visitor.close();
        const accounts = await administrator.request('GET', '/api/admin/accounts');
        const left = accounts.find((one) => one.email === email);
        assert.ok(!left || left.leaving_at);
    });
}
