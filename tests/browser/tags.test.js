// Tags: on a reel, on several rows, as a filter; and the list of sign-in sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';

const { daemon, open, administrator: person } = await start();
await person.finished(UNAVAILABLE);
await person.finished(daemon.hostileLink);
const reel = await person.finished(SAMPLE);

test('a reel is tagged on its page', async () => {
    const { visitor, page } = await open({ person, width: 390 });
    await visitor.visit(`/reels/${reel.id}`);
    await page.getByLabel('New tag').waitFor();
    await person.request('PUT', `/api/reels/${reel.id}/tags`, { tags: ['elsewhere'] });
    await page.getByLabel('New tag').fill('To Cook, pasta');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'to cook' }).waitFor();
    await page.getByRole('link', { name: 'elsewhere' }).waitFor();
    await visitor.assertAccessible();
    await page.getByRole('button', { name: /^Remove the tag (pasta|elsewhere)/ }).evaluateAll((all) => all.forEach((one) => one.click()));
    await page.getByRole('link', { name: 'pasta' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'elsewhere' }).waitFor({ state: 'detached' });
    assert.deepEqual((await person.request('GET', `/api/reels/${reel.id}/tags`)).tags, ['to cook']);
    await visitor.assertFits();
    await page.getByRole('link', { name: 'to cook' }).click();
    await page.waitForURL('**/?tag=to%20cook');
    await page.locator('.row').getByText('to cook').waitFor();
    assert.equal(await page.locator('.row').count(), 1);
    visitor.assertClean();
});

test('the beginning of a tag or an author is completed even before the suggestions have arrived', async () => {
    await person.request('PUT', `/api/reels/${reel.id}/tags`, { tags: ['kitchen'] });
    const { visitor, page } = await open({ person });
    for (const [name, source, beginning, query] of [['Tag', '**/dashboard/api/reels/tags', 'kit', '?tag=kitchen'],
        ['Author', '**/dashboard/api/reels?limit=100*', 'REELS', '?author=reelsd']]) {
        let release;
        const isReleased = new Promise((resolve) => { release = resolve; });
        await page.route(source, async (route) => {
            await isReleased;
            await route.continue();
        });
        await visitor.visit('/');
        await page.locator('.row').nth(2).waitFor();
        const asked = page.waitForRequest(source);
        const field = page.getByRole('combobox', { name });
        await field.pressSequentially(beginning);
        await field.press('Enter');
        await asked;
        assert.equal(new URL(page.url()).search, '');
        release();
        await page.waitForURL(`**/${query}`);
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
    }
    visitor.assertClean();
});

for (const [width, scheme] of [[390, 'light'], [1280, 'dark']]) {
    test(`several reels are tagged, at ${width} px, ${scheme}`, async () => {
        const tag = `tag-${scheme}`;
        const { visitor, page } = await open({ person, width, scheme });
        await visitor.visit('/');
        await page.getByText('0:14').first().waitFor();
        const boxes = page.locator('.row-select input');
        await boxes.nth(0).click();
        await boxes.nth(2).click({ modifiers: ['Shift'] });
        await page.getByText('3 selected').waitFor();
        await page.getByRole('button', { name: 'Tag', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Add').fill(tag);
        const { x, y } = await dialog.boundingBox();
        await page.mouse.click(x + 4, y + 4);
        assert.equal(await dialog.getByLabel('Add').inputValue(), tag, 'its padding does not close it');
        await visitor.assertLayout();
        await dialog.getByRole('button', { name: 'Change tags' }).click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(await page.locator('.row').getByText(tag).count(), 3);
        await page.getByRole('button', { name: 'Tag', exact: true }).click();
        await dialog.waitFor();
        await page.mouse.click(4, 4);
        await dialog.waitFor({ state: 'detached' });
        const cut = await page.locator('.row .tag a').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
        assert.equal(cut, 0, 'tags are read whole');
        const topics = await page.locator('.row-topics > span').evaluateAll((all) => all.map((one) => one.clientWidth));
        assert.ok(topics.every((shown) => shown === 0 || shown > 70), `topics have ${topics} px`);
        await visitor.assertLayout();
        await visitor.visit(`/?q=coffee&tag=${tag}`);
        await page.getByText(/the closest first/).waitFor();
        await visitor.visit('/?q=coffee&tag=unknown');
        await page.getByText('No reels found').waitFor();
        // The search does not read tags.
        await page.getByRole('searchbox', { name: /^Search/ }).fill(tag.toUpperCase());
        await page.getByRole('link', { name: `Reels tagged ${tag}` }).click();
        await page.waitForURL(`**/?tag=${tag}`);
        await page.locator('.row').nth(2).waitFor();
        visitor.assertClean();
    });
}

for (const [width, scheme] of [[320, 'dark'], [1280, 'light']]) {
    test(`sessions are listed and ended, at ${width} px`, async () => {
        const { visitor: other } = await open({ width });
        await other.visit('/sign-in');
        await other.page.getByLabel('E-mail address').fill('admin@example.test');
        await other.page.getByLabel('Password').fill('a horse in the kitchen');
        await other.page.keyboard.press('Enter');
        await other.page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();
        const { visitor, page } = await open({ person, width, scheme });
        await visitor.visit('/account');
        await page.getByText('This browser').waitFor();
        await visitor.assertLayout();
        await page.getByRole('button', { name: /^Sign out Chrome/ }).first().click();
        await page.getByText('Signed out.', { exact: true }).waitFor();
        await other.visit('/account').catch(() => {});
        await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await other.close();
        visitor.assertClean();
    });
}
