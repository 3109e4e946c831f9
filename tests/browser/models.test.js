// The model that an administrator enters, and the hint that leads to its form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, SAMPLE } from './daemon.js';
import { start } from './started.js';

const { daemon, open, administrator } = await start('without-model');

test('a locally analysed reel says what a model adds, until that is closed', async () => {
    const { id } = await administrator.finished(SAMPLE);
    const { visitor, page } = await open({ person: administrator, width: 390 });
    await visitor.visit(`/reels/${id}`);
    const hint = page.getByRole('complementary', { name: 'About models' });
    await hint.getByRole('link', { name: 'Add a model' }).waitFor();
    await visitor.assertAccessible();
    await hint.getByRole('button', { name: 'Close this hint' }).click();
    await hint.waitFor({ state: 'detached' });
    await page.reload();
    await visitor.settled();
    assert.equal(await hint.count(), 0);
    visitor.assertClean();
    await visitor.close();

    const member = await invited(administrator, 'member@example.test');
    const own = await member.finished(SAMPLE);
    const { visitor: guest } = await open({ person: member });
    await guest.visit(`/reels/${own.id}`);
    await guest.page.getByText('An administrator can add a model.').waitFor();
});

test('without a model, a reel is analysed again without the options that need one', async () => {
    const { id } = await administrator.finished(SAMPLE);
    const { visitor, page } = await open({ person: administrator });
    await page.route(`**/dashboard/api/reels/${id}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...await response.json(), options: { extract: 'recipe', analyzer: 'gemini' } } });
    });
    await visitor.visit(`/reels/${id}`);
    await page.getByRole('button', { name: 'Analyse again' }).click();
    await page.getByText('this server has none').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Analyse again' }).click();
    await page.waitForURL((url) => /^\/reels\/\d+$/.test(url.pathname) && url.pathname !== `/reels/${id}`);
    visitor.assertClean();
});

for (const [width, scheme] of [[390, 'light'], [1280, 'dark']]) {
    test(`the form is accessible and fits, ${scheme}`, async () => {
        const { visitor, page } = await open({ person: administrator, width, scheme });
        await visitor.visit('/admin?tab=models');
        await page.getByLabel('API key').waitFor();
        await visitor.assertLayout();
        await page.getByLabel('OpenAI-compatible').check();
        await page.getByText('Price (optional)').click();
        await page.getByLabel('Sent to the model').waitFor();
        await visitor.assertLayout();
        visitor.assertClean();
    });
}

test('a model is tested, saved, used at once and removed', async () => {
    const { visitor, page } = await open({ person: administrator });
    await visitor.visit('/admin?tab=models');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This field is required.').waitFor();
    await page.getByLabel('Address').fill(daemon.model.url);
    await page.getByLabel('API key').fill('a-wrong-key');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('Gemini refuses this API key.').waitFor();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('API key not valid').waitFor();
    await page.getByLabel('API key').fill(daemon.model.key);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('Address, key and model are right.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Leave this empty to keep it/).waitFor();
    assert.equal(await page.getByLabel('API key').inputValue(), '', 'a key is never shown again');
    await page.getByText('Analyzer: gemini/gemini-3.8-flash').waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(/^Analyzer: local/).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('button', { name: 'Remove' }).count(), 0);
    visitor.assertClean();
});
