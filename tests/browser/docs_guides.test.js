// The guides of /docs, and the search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administrator, open, openTab, show } from './docs_page.js';

for (const [scheme, width] of [['light', 1280], ['dark', 390]]) {
    test(`the search finds headings, phrases, fields and requests, ${scheme}, ${width} px`, async () => {
        const { visitor, page } = await open({ scheme, width });
        const dialog = page.getByRole('dialog', { name: 'Search' });
        const field = dialog.getByRole('combobox');
        const chosen = dialog.locator('[role="option"][aria-selected="true"]');
        const find = async (text) => {
            await page.keyboard.press('Control+k');
            await visitor.waitForFocus(field);
            await field.fill(text);
        };
        await page.getByRole('button', { name: 'Search' }).first().click();
        await dialog.getByText('Words or a phrase').waitFor();
        await field.fill('codes of failed reels');
        await chosen.getByText('Codes of failed reels', { exact: true }).waitFor();
        await visitor.assertAccessible();
        await visitor.assertFits();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'hidden' });
        for (const [text, title, hash] of [
            ['Verify the signature', 'Verify the signature', '#description/verify-the-signature'],
            ['compare in constant time', 'Verify the signature', '#description/verify-the-signature'],
            ['thumb one reel', 'Get the thumbnail of one reel', '#tag/progress-and-files/GET/api/v1/reels/{id}/thumbnail'],
            ['queue_position', 'Read one reel', '#tag/reels/GET/api/v1/reels/{id}'],
            ['how do I uplod a file', 'Uploads', '#description/uploads'],
            ['model context protocol', 'AI assistants (MCP)', '#description/ai-assistants-mcp']]) {
            await find(text);
            await chosen.getByText(title, { exact: true }).waitFor();
            await page.keyboard.press('Enter');
            await page.waitForFunction((expected) => {
                const entry = document.querySelector('.t-doc__sidebar a[aria-current="page"]');
                return [location, entry].every((place) => place && decodeURIComponent(place.hash) === expected);
            }, hash);
        }
        await find('xyzzy');
        await dialog.getByText('Nothing found.').waitFor();
        await field.fill('point-in-time');
        await dialog.getByRole('option', { name: /Point-in-time recovery/ }).first().click();
        await page.waitForURL('**/docs/operation.html#description/point-in-time-recovery');
        await page.getByRole('heading', { name: 'Operating reelsd' }).waitFor();
        await visitor.assertFits();
        visitor.assertClean();
    });
}

test('every section of the guides is found by its title, and the links between guides lead to one', async () => {
    const { visitor, page } = await open();
    for (const path of ['/docs/index.html', '/docs/operation.html']) {
        await page.goto(path);
        await page.locator('.introduction-description h2').first().waitFor();
        const dead = await page.evaluate(() => [...document.querySelectorAll('.introduction-description a')]
            .map((link) => link.getAttribute('href'))
            .filter((href) => /\.md|^[^#]*\/adr\//.test(href) || href === '#'
                || href.startsWith('#description/') && !document.querySelector(`[id$="${href.slice(1)}"]`)));
        assert.deepEqual(dead, [], path);
        const titles = await page.locator('.introduction-description :is(h2, h3)').allTextContents();
        assert.ok(titles.length > 20);
        await page.getByRole('button', { name: 'Search' }).first().click();
        for (const title of titles) {
            await page.getByRole('combobox').fill(title);
            await page.locator('.search li .found-title').getByText(title.trim(), { exact: true }).first().waitFor();
        }
        await page.keyboard.press('Escape');
    }
    visitor.assertClean();
});

test('the labels of values have their own place on a phone, and samples show their lines whole', async () => {
    const { visitor, page } = await open({ width: 390 });
    const cells = await page.locator('.introduction-description td').evaluateAll((all) => all
        .map((cell) => [parseFloat(getComputedStyle(cell, '::before').height), cell.clientHeight, cell.textContent]));
    assert.ok(cells.length > 100);
    assert.deepEqual(cells.filter(([label, cell]) => !(label > 0 && label <= cell)), []);
    const cut = await page.locator('.introduction-description pre:visible > code').evaluateAll((all) => all
        .filter((sample) => sample.scrollWidth > sample.clientWidth).map((sample) => sample.textContent));
    assert.deepEqual(cut, []);
    visitor.assertClean();
});

test('the guides for operators are accessible and fit', async () => {
    const { visitor } = await openTab({ person: administrator, scheme: 'dark' });
    await visitor.page.goto('/docs/operation.html');
    await visitor.page.getByRole('heading', { name: 'Runbook' }).waitFor();
    await visitor.assertLayout();
    assert.equal(await visitor.page.getByRole('button', { name: 'Fill in a token' }).count(), 0);
    visitor.assertClean();
});

test('the key / opens the search, which shows it, and Escape leaves it', async () => {
    const { visitor, page } = await open();
    const field = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox');
    await page.locator('.bar-key').getByText('/', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await visitor.waitForFocus(field);
    await page.keyboard.type('a/b');
    assert.equal(await field.inputValue(), 'a/b');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
    visitor.assertClean();
    await visitor.close();
    const { visitor: phone } = await open({ width: 390 });
    assert.equal(await phone.page.locator('.bar-key').isVisible(), false);
});
