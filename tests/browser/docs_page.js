// The pages of /docs, with a daemon and a browser for all tests of a file that imports this one.
import { start } from './started.js';
import { Visitor } from './visitor.js';

export const { daemon, browser, administrator } = await start();

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
