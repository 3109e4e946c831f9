// Webhooks: address, secret and the log of deliveries.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { invited, UNAVAILABLE } from './daemon.js';
import { startReceiver } from './receiver.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();
const receiver = await startReceiver();
after(() => receiver.stop());

function isSignedWith(secret, { headers, body }) {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const made = createHmac('sha256', key)
        .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`).digest('base64');
    return headers['webhook-signature'].split(' ').includes(`v1,${made}`);
}

for (const width of WIDTHS) {
    test(`a webhook is set, delivered and redelivered, at ${width} px`, async () => {
        const person = await invited(administrator, `hook-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.getByLabel('Pages').getByRole('link', { name: 'Webhooks' }).click();
        await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
        await visitor.settled();
        await page.getByText('Nothing has been sent').waitFor();

        // Nothing is signed without an address.
        assert.equal(await page.getByRole('heading', { name: 'Secret' }).count(), 0);
        await page.getByRole('button', { name: 'Signing secret' }).waitFor();
        const address = page.getByLabel('Address', { exact: true });
        const save = page.getByRole('button', { name: 'Save' });
        assert.ok(await save.isDisabled(), 'nothing has changed');
        await address.fill('http://169.254.169.254/');
        await save.click();
        await page.getByText('The address must lead to a public address. If it is in a private network, ask the operator of this server to allow it.').waitFor();
        await visitor.waitForFocus(address);
        // A test needs no saved address, names the cause, and is in the log.
        const test = page.getByRole('button', { name: 'Send a test' });
        await test.click();
        await page.getByText('The address must lead to a public address.').nth(1).waitFor();
        await address.fill('http://127.0.0.1:9/');
        await test.click();
        await page.getByText(/Not delivered after .* m?s\. Connection refused\./).waitFor();
        await address.fill(receiver.url);
        receiver.answerWith(404, '<p>Not here</p>');
        await test.click();
        await page.getByText(/Not delivered after .* m?s\. Answered 404\./).waitFor();
        assert.equal((await person.request('GET', '/api/webhook')).url, null);
        await save.click();
        await page.getByText('Webhooks are sent to this address from now on.').waitFor();
        receiver.answerWith(200);
        await test.click();
        await page.getByText(/Delivered: answered 200 in .* m?s\./).waitFor();
        assert.equal(JSON.parse(receiver.requests.at(-1).body).type, 'webhook.test');
        const logged = page.locator('.delivery', { hasText: 'Test' });
        await logged.nth(2).getByText('Connection refused.').waitFor();
        await logged.first().getByText('Delivered').waitFor();
        assert.equal(await logged.first().getByRole('button', { name: 'Send again' }).count(), 0);
        await logged.nth(1).getByText('Not delivered').waitFor();
        const details = logged.nth(1).getByRole('button', { name: 'Details: test' });
        await details.click();
        assert.equal(await details.getAttribute('aria-expanded'), 'true');
        await logged.nth(1).getByLabel('Response body').getByText('<p>Not here</p>').waitFor();
        await logged.nth(1).locator('dl', { hasText: /Status404.*Latency.*m?s/ }).waitFor();
        const shown = await logged.nth(1).getByLabel('Request body', { exact: true }).innerText();
        assert.deepEqual(JSON.parse(shown), JSON.parse(receiver.requests.at(-2).body));
        await visitor.assertLayout();

        // Only the chosen events are sent.
        const failures = page.getByLabel('Reels that failed');
        await failures.uncheck();
        // The message of the first time may still be there.
        await Promise.all([
            page.waitForResponse((answer) => answer.url().endsWith('/webhook') && answer.request().method() !== 'GET'),
            save.click()]);
        await page.getByText('Webhooks are sent to this address from now on.').first().waitFor();
        assert.deepEqual((await person.request('GET', '/api/webhook')).events, ['done', 'search.matched']);
        await page.reload();
        assert.ok(!await failures.isChecked());
        await page.getByLabel('Reels that are done').uncheck();
        await page.getByLabel('Matches of saved searches').uncheck();
        await page.getByText('Choose at least one.').waitFor();
        assert.ok(await save.isDisabled());
        for (const name of ['Reels that are done', 'Reels that failed', 'Matches of saved searches']) {
            await page.getByLabel(name).check();
        }
        await save.click();
        await page.getByText('Webhooks are sent to this address from now on.').waitFor();

        receiver.answerWith(410);
        const { id } = await person.finished(UNAVAILABLE);
        const row = page.locator('.delivery', { hasText: `Reel ${id}` });
        await row.getByText('Not delivered', { exact: true }).waitFor();
        await row.getByText('Answered 410: the receiver wants no more deliveries.').waitFor();
        await visitor.assertFits();
        await visitor.assertAccessible();
        await row.getByRole('button', { name: `Details: reel ${id}` }).click();
        await row.getByText('The response had no body.').waitFor();
        assert.deepEqual(JSON.parse(await row.getByLabel('Request body', { exact: true }).innerText()),
            JSON.parse(receiver.requests.at(-1).body));

        receiver.answerWith(204);
        const seen = receiver.requests.length;
        await row.getByRole('button', { name: `Send again: reel ${id}` }).click();
        await row.getByText('Delivered', { exact: true }).waitFor();
        assert.equal(receiver.requests.length, seen + 1);
        assert.deepEqual(JSON.parse(receiver.requests.at(-1).body), await person.request('GET', `/api/reels/${id}`));

        // The secret is hidden until it is revealed, and the previous one stays valid for a day.
        const { secret } = await person.request('GET', '/api/webhook');
        assert.ok(isSignedWith(secret, receiver.requests.at(-1)));
        assert.equal(await page.getByText(secret).count(), 0);
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        await page.getByText(secret).waitFor();
        await page.getByRole('button', { name: 'Create a new secret' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Create a new secret' }).click();
        await page.getByText('The previous secret also signs until').waitFor();
        assert.equal(await page.getByText(secret).count(), 0);
        const now = (await person.request('GET', '/api/webhook')).secret;
        await page.getByText(now).waitFor();
        await visitor.assertFits();
        await visitor.assertAccessible();
        await row.getByRole('button', { name: `Send again: reel ${id}` }).click();
        await row.locator('dl', { hasText: 'Tries3' }).waitFor();
        await row.getByText('Delivered', { exact: true }).waitFor();
        assert.ok(isSignedWith(secret, receiver.requests.at(-1)) && isSignedWith(now, receiver.requests.at(-1)));

        await row.getByRole('link', { name: `Reel ${id}` }).click();
        await page.waitForURL(`**/reels/${id}`);
        await visitor.settled();
        await page.goBack();
        await visitor.settled();
        await address.fill('');
        await save.click();
        await page.getByText('Webhooks are no longer sent.').waitFor();
        assert.equal((await person.request('GET', '/api/webhook')).url, null);
        visitor.assertClean('400 /dashboard/api/webhook', '400 /dashboard/api/webhook/test');
    });
}

test('a long log is read in pages', async () => {
    const person = await invited(administrator, 'many@example.test');
    await person.request('PUT', '/api/webhook', { url: receiver.url });
    receiver.answerWith(200);
    for (let count = 0; count < 23; count += 1) {
        await person.finished(UNAVAILABLE);
    }
    const { visitor } = await open({ person });
    await visitor.visit('/webhooks');
    await visitor.page.locator('.delivery').nth(19).waitFor();
    assert.equal(await visitor.page.locator('.delivery').count(), 20);
    await visitor.page.getByRole('button', { name: 'Show more' }).click();
    await visitor.page.locator('.delivery').nth(22).waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: 'Show more' }).count(), 0);
    visitor.assertClean();
});

test('a delivery of a match of a saved search says so', async () => {
    const { visitor, page } = await open({ person: administrator });
    const delivery = { webhook_id: 'evt_1', url: receiver.url, state: 'delivered', tries: 1, job_id: 7, created_at: '2026-05-22T10:00:00Z',
        tried_at: '2026-05-22T10:00:00Z' };
    await page.route('**/dashboard/api/webhook/deliveries?*', (route) => route.fulfill({ json: [
        { ...delivery, id: 3, search_id: 4 }, { ...delivery, id: 2 }] }));
    await visitor.visit('/webhooks');
    await page.locator('.delivery').nth(1).waitFor();
    assert.deepEqual(await page.locator('.delivery .line-main').allInnerTexts().then((all) => all.map((text) => /search/.test(text))),
        [true, false]);
    visitor.assertClean();
});
