// The pages of /docs, for the tests that open them.
import { Visitor } from './visitor.js';

/** Opens the API reference with the options of `Visitor.open`, at the fragment `place`. */
export async function openDocuments(browser, daemon, options, place = '') {
    const visitor = await Visitor.open(browser, daemon, options);
    await visitor.page.goto(`/docs/index.html${place}`);
    await visitor.page.getByRole('heading', { name: 'Quick start' }).waitFor();
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
