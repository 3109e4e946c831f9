// Keyboard shortcuts, and the command palette.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();
const sample = await administrator.finished(SAMPLE);

test('J and K move between the rows of the list, X selects, Enter opens', async () => {
    const person = await invited(administrator, 'rows@example.test');
    const ids = [];
    for (let number = 1; number <= 3; number += 1) {
        ids.unshift((await person.finished(`${UNAVAILABLE}?img_index=${number}`)).id);
    }
    const { visitor, page } = await open({ person });
    const link = (index) => page.locator(`.row a[href="/reels/${ids[index]}"]`);
    await visitor.visit('/');
    await link(2).waitFor();
    for (const [key, index] of [['j', 0], ['j', 1], ['k', 0], ['k', 0], ['j', 1], ['j', 2], ['j', 2]]) {
        await page.keyboard.press(key);
        await visitor.waitForFocus(link(index));
    }
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('x');
    await page.getByText('Select all').waitFor();
    await page.keyboard.press('x');
    for (const key of ['k', 'k', 'Shift+X']) {
        await page.keyboard.press(key);
    }
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('t');
    const tags = page.getByRole('dialog', { name: 'Tags of 3 reels' });
    await page.route('**/dashboard/api/reels/tags', (route) => route.request().method() === 'POST' ? route.abort() : route.continue());
    await tags.getByLabel('Add').fill('quiet');
    await tags.getByRole('button', { name: 'Change tags' }).click();
    await tags.locator('.note-fail').waitFor();
    await page.waitForFunction(() => document.activeElement === document.body); // The button was disabled.
    await page.keyboard.press('#');
    assert.equal(await page.locator('.toast').count(), 0);
    await page.unroute('**/dashboard/api/reels/tags');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('#');
    await page.locator('.toast', { hasText: 'Deleted 3 reels' }).waitFor();
    await page.keyboard.press('Control+z');
    await link(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: 'Tags of 1 reel' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visitor.waitForFocus(link(0));
    await page.keyboard.press('t');
    await page.keyboard.type('quiet');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visitor.waitForFocus(link(0));
    await page.keyboard.press('Delete');
    await visitor.waitForFocus(link(1));
    await page.keyboard.press('Control+z');
    await link(0).waitFor();
    for (const key of ['x', 'j', 'Escape']) {
        await page.keyboard.press(key);
    }
    await page.getByText('Select all').waitFor();
    await visitor.waitForFocus(link(2));
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/reels/${ids[2]}`);
    // Escape leaves a field and a dialog alone, and returns to the row.
    await page.locator('.reel-head').waitFor();
    await page.getByLabel('New tag').press('Escape');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, `/reels/${ids[2]}`);
    for (const [key, index] of [['[', 1], ['[', 0], [']', 1], ['j', 2], ['k', 1]]) {
        await page.keyboard.press(key);
        await page.waitForURL(`**/reels/${ids[index]}`);
        await page.locator('.reel-head', { hasText: `#${ids[index]},` }).waitFor(); // Not that of the reel before.
    }
    await page.keyboard.press('Escape');
    await visitor.waitForFocus(link(1));
    await visitor.visit(`/reels/${ids[2]}`); // Without the list.
    await page.keyboard.press(']');
    await page.getByText('This is the last reel of the list.').waitFor();
    await page.keyboard.press('[');
    await page.waitForURL(`**/reels/${ids[1]}`);
    // A key that is pressed again while the list is loaded does not end it.
    await visitor.visit(`/reels/${ids[1]}`);
    let release;
    const isReleased = new Promise((resolve) => {
        release = resolve;
    });
    await page.route('**/dashboard/api/reels?limit=30*', async (route) => {
        await isReleased;
        await route.continue();
    });
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    release();
    await page.waitForURL(`**/reels/${ids[0]}`);
    assert.equal(await page.getByText('This is the first reel of the list.').count(), 0);
    // A list that cannot be loaded has no end, and events alone are no list.
    await page.unroute('**/dashboard/api/reels?limit=30*');
    await page.addInitScript(() => {
        window.changed = [];
        window.EventSource = class extends EventSource {
            constructor(url) {
                super(url);
                // After the page has reacted.
                this.addEventListener('reel', ({ data }) => setTimeout(() => window.changed.push(JSON.parse(data).id)));
            }
        };
    });
    await page.route('**/dashboard/api/reels?limit=30*', async (route) => {
        const { id } = await person.finished(`${UNAVAILABLE}?img_index=4`);
        await page.waitForFunction((newest) => window.changed.includes(newest), id);
        await route.abort();
    });
    await visitor.visit(`/reels/${ids[1]}`);
    await page.keyboard.press('k');
    await page.getByText('The list could not be loaded: The server may be stopped or restarting.').waitFor();
    await page.unroute('**/dashboard/api/reels?limit=30*');
    // Typed letters are text.
    await visitor.visit('/');
    await page.getByLabel('Analyse a reel').pressSequentially('jkx?/');
    assert.equal(await page.getByLabel('Analyse a reel').inputValue(), 'jkx?/');
    assert.equal(await page.getByRole('dialog').count(), 0);
    visitor.assertClean();
});

test('G and a letter open a page, C goes to the field for links', async () => {
    const { visitor, page } = await open({ person: administrator });
    await visitor.visit('/account');
    await page.evaluate(() => { // The pause between the two keys is limited.
        const now = Date.now();
        Date.now = () => now;
    });
    for (const [key, title] of [['u', 'Usage'], ['t', 'Tokens'], ['w', 'Webhooks'], ['a', 'Account'], ['d', 'Admin'], ['r', 'Reels']]) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
        await visitor.settled();
        await page.evaluate(() => document.activeElement.blur()); // Some pages begin in a field.
    }
    await visitor.visit('/usage');
    await page.keyboard.press('c');
    await visitor.waitForFocus(page.getByLabel('Analyse a reel'));
    assert.equal(await page.getByLabel('Analyse a reel').inputValue(), '');
    visitor.assertClean();
});

for (const scheme of ['light', 'dark']) {
    test(`a question mark lists the shortcuts, ${scheme}`, async () => {
        const { visitor, page } = await open({ person: administrator, scheme });
        await visitor.visit('/usage');
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('next reel', { exact: true }).waitFor();
        await visitor.assertAccessible();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByRole('contentinfo').getByRole('button', { name: 'keyboard shortcuts' }).click();
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
        visitor.assertClean();
    });
}

for (const width of WIDTHS) {
    test(`the palette goes to pages, reels and links, at ${width} px`, async () => {
        const { visitor, page } = await open({ person: administrator, width });
        const field = page.getByRole('combobox', { name: 'Search reels, pages and actions' });
        const results = page.getByRole('listbox', { name: 'Results' });
        const run = async (text) => {
            await page.keyboard.press('Control+k');
            await visitor.waitForFocus(field);
            await field.fill(text);
        };
        await visitor.visit('/usage');
        await page.getByRole('button', { name: 'Search and go to' }).click();
        await field.waitFor();
        await visitor.assertAccessible();
        await visitor.assertFits();
        await page.keyboard.press('Escape');
        await field.waitFor({ state: 'detached' });

        await run('coff');
        await page.getByRole('option', { name: /coffee/ }).first().and(page.locator('[aria-selected="true"]')).waitFor();
        await page.getByRole('option', { name: 'Search for “coff”' }).click();
        await page.waitForURL('**/?q=coff');
        await run('api key');
        await page.getByRole('option', { name: 'Tokens' }).and(page.locator('[aria-selected="true"]')).waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();

        await run('999999');
        await page.getByText('There is no reel #999999.').waitFor();
        assert.equal(await results.getByRole('option').count(), 0);
        await field.fill(String(sample.id));
        await page.getByRole('option', { name: sample.result.content.summary }).getByText(`#${sample.id}`).waitFor();
        assert.equal(await results.getByRole('option').count(), 1);
        await page.keyboard.press('Enter');
        await page.waitForURL(`**/reels/${sample.id}`);

        await run(sample.result.content.summary);
        await page.getByRole('group', { name: 'Reels' }).getByRole('option').first().click();
        await page.waitForURL((url) => url.pathname === `/reels/${sample.id}`);

        await run('grid');
        const entry = page.getByRole('option', { name: 'Switch between list and grid' });
        await entry.waitFor();
        for (const key of ['ArrowDown', 'ArrowUp', 'Enter']) {
            await page.keyboard.press(key);
        }
        await visitor.visit('/');
        await page.locator('.rows-grid .row').first().waitFor();

        await run(`see ${UNAVAILABLE} `);
        await page.getByRole('option', { name: 'Analyse this link' }).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => Number(/\d+$/.exec(url.pathname)) > sample.id);
        visitor.assertClean('404 /dashboard/api/reels/999999');
    });
}

test('the palette runs actions and shows their keys', async () => {
    const person = await invited(administrator, 'actions@example.test');
    await person.finished(UNAVAILABLE);
    const { visitor, page } = await open({ person });
    const run = async (name) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill(name);
        await page.getByRole('option', { name, exact: true }).and(page.locator('[aria-selected="true"]')).waitFor();
        await page.keyboard.press('Enter');
    };
    await visitor.visit('/usage');
    await page.keyboard.press('Control+k');
    const keysOf = async (name) => page.getByRole('option', { name, exact: true }).locator('kbd').allInnerTexts();
    await page.getByRole('group', { name: 'Reels' }).waitFor();
    assert.deepEqual(await page.locator('.palette-title').allInnerTexts(), ['Actions', 'Go to', 'Reels']);
    assert.deepEqual(await keysOf('Analyse a link'), ['C']);
    assert.deepEqual(await keysOf('Usage'), ['G', 'U']);
    assert.deepEqual(await keysOf('Upload a video'), []);
    await visitor.assertAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await run('Create a token');
    await visitor.waitForFocus(page.getByLabel('Name of the new token'));
    await run('Analyse a link');
    await visitor.waitForFocus(page.getByLabel('Analyse a reel'));
    await visitor.visit('/tokens');
    const chooser = page.waitForEvent('filechooser');
    await run('Upload a video');
    await chooser;
    await page.getByRole('button', { name: 'Upload a video' }).waitFor();
    await run('Delete failed reels');
    await page.getByRole('dialog', { name: 'Delete all failed reels?' }).getByRole('button', { name: 'Delete failed' }).click();
    await page.getByText('Deleted 1 failed reel.').waitFor();
    await page.getByRole('heading', { name: 'No reels yet' }).waitFor();
    await run('Switch between light and dark');
    await page.locator('html[data-theme="dark"]').waitFor();
    await run('Show waiting reels');
    await page.getByRole('heading', { name: 'No waiting reels' }).waitFor();
    visitor.assertClean();
    await run('Open the documentation');
    await page.waitForURL('**/docs/**');
    await visitor.visit('/usage');
    await run('Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a slash searches, on other pages in the palette', async () => {
    const { visitor, page } = await open({ person: administrator });
    await visitor.visit('/');
    await page.keyboard.press('/');
    await visitor.waitForFocus(page.getByRole('searchbox', { name: /^Search/ }));
    await visitor.visit('/tokens');
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('combobox').fill('nothing of this kind');
    await page.route('**/dashboard/api/reels/search?**', (route) => route.fulfill({ status: 503, json: { message: 'the database cannot be reached', status: 'error' } }));
    await page.getByRole('dialog').getByRole('combobox').fill('nothing of that kind');
    await page.getByText('The database cannot be reached.').waitFor();
});

test('signed-out users read what this is, and have no shortcuts', async () => {
    const { visitor } = await open();
    await visitor.visit('/sign-in');
    await visitor.page.getByText('reelsd reads Instagram reels').waitFor();
    await visitor.page.getByRole('contentinfo').getByRole('link', { name: 'API reference' }).waitFor();
    await visitor.page.locator('h1').click();
    await visitor.page.keyboard.press('?');
    await visitor.page.keyboard.press('Control+k');
    assert.equal(await visitor.page.getByRole('dialog').count(), 0);
    visitor.assertClean();
});
