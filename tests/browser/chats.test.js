// Chats: linking by a code, the list, unlinking.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();

/** Sends a message to the bot. */
async function say(chat, name, text) {
    const answer = await fetch(`${daemon.telegram}/_say`,
        { method: 'POST', body: JSON.stringify({ chat, name, text }) });
    assert.equal(answer.status, 200);
}

for (const width of WIDTHS) {
    test(`a chat is linked and unlinked, at ${width} px`, async () => {
        const name = `Ann <b>Lee</b> ${width}`;
        const { visitor, page } = await open({ person: administrator, width });
        await visitor.visit('/account');
        await page.getByRole('heading', { name: 'Chats', exact: true }).waitFor();
        await page.getByText('@reels_test_bot').first().waitFor();
        await page.getByText('No chats yet').waitFor();
        await page.getByRole('button', { name: 'Link a chat' }).click();
        await page.getByRole('heading', { name: 'Send this code to @reels_test_bot' }).waitFor();
        const code = (await page.locator('.fresh .copied .code').innerText()).trim();
        assert.match(code, /^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/);
        const opener = page.getByRole('link', { name: 'Open in Telegram' });
        assert.equal(await opener.getAttribute('href'), `https://t.me/reels_test_bot?start=${code}`);
        await visitor.assertFits();
        await visitor.assertAccessible();

        // The chat appears without a reload.
        await say(width, name, `/start ${code}`);
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.locator('.fresh').waitFor({ state: 'detached' });
        await visitor.assertFits();
        await visitor.assertAccessible();

        await page.getByRole('button', { name: `Unlink ${name}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
        await page.getByText('No chats yet').waitFor();
        assert.deepEqual((await administrator.request('GET', '/api/chats')).chats, []);
        visitor.assertClean();
    });
}

test('a server without a bot says what one would offer', async () => {
    const { visitor, page } = await open({ person: administrator });
    await page.route('**/dashboard/api/chats', (route) => route.fulfill({ json: { bot: null, chats: [] } }));
    await visitor.visit('/account');
    await page.getByText('This server has no Telegram bot.').waitFor();
    await page.getByText('telegram-token').waitFor();
    await visitor.assertAccessible();
    visitor.assertClean();
});
