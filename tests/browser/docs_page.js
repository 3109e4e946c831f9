// The pages of /docs, with a daemon and a browser for all tests of a file that imports this one.
import { start } from './started.js';

export const { daemon, open: openTab, administrator } = await start();

/** Opens the API reference as the administrator, or with other options of openTab(), at the fragment `place`. */
export async function open(options = {}, place = '') {
    const opened = await openTab({ person: administrator, ...options });
    await opened.page.goto(`/docs/index.html${place}`);
    await opened.page.locator('#first-screen').waitFor({ state: 'detached' });
    return opened;
}

export async function show(page, place) {
    await page.evaluate((hash) => {
        location.hash = hash;
    }, place);
    if (place.startsWith('#tag/')) {
        await page.locator(`[id$="${place.slice(1)}"]`).getByRole('button', { name: 'Test Request' }).waitFor();
    }
}
