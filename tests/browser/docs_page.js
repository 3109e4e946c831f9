// The pages of /docs, with a daemon and a browser for all tests of a file that imports this one.
import { after, before } from 'node:test';
import { firstAdministrator, startDaemon } from './daemon.js';
import { launchBrowser, Visitor } from './visitor.js';

export let daemon;
export let browser;
export let administrator;

before(async () => {
    [daemon, browser] = await Promise.all([startDaemon(), launchBrowser()]);
    administrator = await firstAdministrator(daemon);
});

after(async () => {
    await browser?.close();
    await daemon?.stop();
});

/** Opens the API reference as the administrator, or with other options of `Visitor.open`, at the fragment `place`. */
export async function open(options = {}, place = '') {
    const visitor = await Visitor.open(browser, daemon, { person: administrator, ...options });
    await visitor.page.goto(`/docs/index.html${place}`);
    await visitor.page.locator('#first-screen').waitFor({ state: 'detached' });
    return visitor;
}

export async function show(page, place) {
    await page.evaluate((hash) => {
        location.hash = hash;
    }, place);
    if (place.startsWith('#tag/')) {
        await page.locator(`[id$="${place.slice(1)}"]`).getByRole('button', { name: 'Test Request' }).waitFor();
    }
}
