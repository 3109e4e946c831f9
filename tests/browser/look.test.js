// Every page at all widths and in both themes: accessibility, overflow, size of the download.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';

const MISSING = ['/reels/999', '/nowhere'];
const FIRST_PAGE_BYTES_MAX = 150_000;

const { daemon, open, administrator } = await start();
const sample = await administrator.finished(SAMPLE);
const again = await administrator.finished(SAMPLE);
const failed = await administrator.finished(UNAVAILABLE);
await administrator.finished(daemon.hostileLink);
for (const name of ['script', 'backup']) {
    await administrator.request('POST', '/api/tokens', { name });
}
await administrator.request('POST', '/api/admin/accounts', { email: 'invited@example.test' });
const paths = ['/', '/?q=video', '/?q=coffee&tag=none', `/reels/${sample.id}`, `/reels/${failed.id}`,
    `/reels/${sample.id}/compare/${again.id}`, '/tokens', '/webhooks', '/usage', '/account',
    ...['queue', 'access', 'models', 'failures', 'accounts'].map((tab) => `/admin?tab=${tab}`)];

for (const scheme of ['light', 'dark']) {
    test(`every page is accessible and fits, ${scheme}`, async () => {
        const { visitor } = await open({ person: administrator, scheme });
        for (const path of [...paths, ...MISSING]) {
            await visitor.visit(path);
            await visitor.assertLayout();
            await visitor.assertRowActionsNamed();
        }
        visitor.assertClean('404 /dashboard/api/reels/999', '404 /nowhere');
    });

    test(`pages without a session, views and dialogs are accessible and fit, ${scheme}`, async () => {
        const { visitor: guest } = await open({ scheme });
        for (const path of ['/sign-in', '/join#rls_unknown']) {
            await guest.visit(path);
            await guest.assertLayout();
        }
        guest.assertClean('404 /dashboard/invitation');
        await guest.close();
        const { visitor, page } = await open({ person: administrator, scheme });
        await visitor.visit('/');
        await page.getByRole('button', { name: 'Grid' }).click();
        await visitor.assertLayout();
        for (const [key, name] of [['?', 'Keyboard shortcuts'], ['Control+k', 'Search and go to']]) {
            await page.keyboard.press(key);
            await page.getByRole('dialog', { name }).waitFor();
            await visitor.assertLayout();
            await page.keyboard.press('Escape');
            await page.getByRole('dialog', { name }).waitFor({ state: 'hidden' }); // An open dialog takes all keys.
        }
        await visitor.visit('/admin?tab=accounts');
        await page.getByRole('button', { name: 'Edit invited@example.test' }).click();
        await page.getByRole('dialog').waitFor();
        await visitor.assertLayout();
        visitor.assertClean();
    });
}

test('the first page is small', async () => {
    const { visitor } = await open({ person: administrator });
    const session = await visitor.context.newCDPSession(visitor.page);
    const pictures = new Set();
    let bytes = 0;
    session.on('Network.requestWillBeSent', (event) => {
        if (new URL(event.request.url).pathname.endsWith('/thumbnail')) {
            pictures.add(event.requestId); // Thumbnails do not count for the page's size.
        }
    });
    session.on('Network.loadingFinished', (event) => {
        bytes += pictures.has(event.requestId) ? 0 : event.encodedDataLength;
    });
    await session.send('Network.enable');
    await visitor.visit('/');
    await visitor.page.locator('.row').first().waitFor();
    assert.ok(bytes > 10_000 && bytes < FIRST_PAGE_BYTES_MAX, `${bytes} bytes`);
});

test('each page names the version of the server', async () => {
    const { visitor } = await open({ person: administrator });
    const { version } = await (await fetch(`${daemon.origin}/healthz`)).json();
    for (const path of paths) {
        await visitor.visit(path);
        await visitor.page.getByRole('contentinfo').filter({ hasText: `reelsd ${version},` }).waitFor();
    }
    visitor.assertClean();
});

test('the theme can be switched, and the choice is stored', async () => {
    const { visitor, page } = await open({ person: administrator });
    const groundOf = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await visitor.visit('/');
    const light = await groundOf();
    await page.getByRole('button', { name: 'Switch to dark colours' }).click();
    const dark = await groundOf();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await groundOf(), dark);
    await page.getByRole('button', { name: 'Switch to light colours' }).click();
    assert.equal(await groundOf(), light);
    visitor.assertClean();
});

test('the keyboard reaches every control, first the skip link', async () => {
    const { visitor, page } = await open({ person: administrator });
    await visitor.visit('/tokens');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    assert.ok(await skip.evaluate((link) => link === document.activeElement));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => document.activeElement.id
        && document.querySelector(`label[for="${document.activeElement.id}"]`)?.textContent);
    assert.equal(name, 'Name of the new token');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    visitor.assertClean();
});

test('an unreachable server is reported, and the page recovers by itself', async () => {
    const { visitor, page } = await open({ person: administrator });
    await visitor.visit('/tokens');
    await visitor.context.setOffline(true);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('No connection').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await visitor.context.setOffline(false);
    await page.getByRole('heading', { name: 'By model' }).waitFor();
    assert.deepEqual(visitor.strangers, []);
});

test('a request is retried after Retry-After, and a limit shows the wait', async () => {
    const { visitor, page } = await open({ person: administrator });
    const refuse = (status, message, seconds) => (route) => route.fulfill({
        status, headers: { 'Retry-After': String(seconds) }, json: { message, status: 'error' } });
    // Refused until the message was seen, because each message is shown only for the second until the next try.
    let refusals = 0;
    await page.route('**/dashboard/api/tokens', (route) => {
        refusals += 1;
        return refuse(503, 'the database cannot be reached', 1)(route);
    });
    await page.goto('/tokens');
    await page.getByText('The database cannot be reached.').waitFor();
    await page.unroute('**/dashboard/api/tokens');
    await page.locator('.line', { hasText: 'script' }).waitFor();

    await page.route('**/dashboard/api/reels/analyze', refuse(429, 'at most 3 reels at once', 75), { times: 1 });
    await visitor.visit('/');
    await page.getByLabel('Analyse a reel').fill(SAMPLE);
    await page.keyboard.press('Enter');
    await page.getByText('At most 3 reels at once.').waitFor();
    await page.getByText(/You can try again in 1 min/).waitFor();
    assert.equal(await page.getByLabel('Analyse a reel').inputValue(), SAMPLE, 'nothing typed is lost');
    visitor.assertClean(...Array(refusals).fill('503 /dashboard/api/tokens'), '429 /dashboard/api/reels/analyze');
});
