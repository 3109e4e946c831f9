// The list of reels: submission, progress, search, deletion.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { invited, SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const MANY = 70;
const sampleFile = path.join(process.env.REELSD_BIN_DIR, '..', 'share', 'reelsd', 'sample.mp4');

const { daemon, open, administrator } = await start();

const rows = (page) => page.locator('.row');

/** Shows the filters, which a phone folds. */
async function openFilters({ page }) {
    const toggle = page.getByRole('button', { name: 'Filter' });
    if (await toggle.isVisible()) {
        await toggle.click();
    }
}

for (const width of WIDTHS) {
    test(`the first reel is submitted and done without a reload, at ${width} px`, async () => {
        const person = await invited(administrator, `first-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.getByRole('heading', { name: 'No reels yet' }).waitFor();
        await page.getByText(SAMPLE).waitFor();
        await page.evaluate(() => { window.isSamePage = true; });

        await page.getByLabel('Analyse a reel').fill('https://tiktok.com/@a/video/1');
        await page.keyboard.press('Enter');
        await page.getByText('URL must be an instagram.com link, got "tiktok.com"').waitFor();

        await page.getByLabel('Analyse a reel').fill(SAMPLE);
        await page.getByRole('button', { name: 'Analyse', exact: true }).click();
        await rows(page).first().waitFor();
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), '');
        await page.locator('.row .status-done').waitFor({ timeout: 120_000 });
        const picture = page.locator('.row .thumb img');
        await picture.waitFor();
        await page.waitForFunction(() => document.querySelector('.row .thumb img').naturalWidth > 0);

        await page.getByLabel('Analyse a reel').fill(UNAVAILABLE);
        await page.keyboard.press('Enter');
        await page.locator('.row .status-error').waitFor({ timeout: 60_000 });
        await page.locator('.row', { hasText: 'Video is not available' })
            .getByRole('link', { name: 'instagram.com/reel/reelsd-unavailable' }).waitFor();
        assert.equal(await page.evaluate(() => window.isSamePage), true);
        await visitor.assertFits();
        visitor.assertClean('400 /dashboard/api/reels/analyze');
    });

    test(`the video of a failed link is uploaded, at ${width} px`, async () => {
        const person = await invited(administrator, `upload-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        const link = 'https://www.instagram.com/reel/DYa0IXPgnP5/';
        await visitor.visit(`/?upload=${encodeURIComponent(link)}`);
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), link);
        await page.getByText('or drop the video of this link here')
            .waitFor({ state: width < 600 ? 'hidden' : 'visible' }); // A touch screen has no drag and drop.
        await visitor.assertFits();
        await page.getByLabel('Video files').setInputFiles(sampleFile);
        await page.locator('.row .status-done').waitFor({ timeout: 120_000 });
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), '');

        await page.getByLabel('Video files').setInputFiles(
            { name: 'broken.mp4', mimeType: 'video/mp4', buffer: Buffer.from('no video') });
        await page.locator('.row', { hasText: 'broken.mp4' }).locator('.status-error').waitFor({ timeout: 60_000 });
        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`a platform that has never answered is reported, at ${width} px`, async () => {
        const member = await invited(administrator, `member-${width}@example.test`);
        for (const person of [member, administrator]) {
            const { visitor, page } = await open({ person, width });
            await page.route('**/dashboard/api/platform', (route) => route.fulfill({ json: { never_answered: true } }));
            await visitor.visit('/');
            const notice = page.locator('.note', { hasText: 'Instagram has never answered this server' });
            await notice.waitFor();
            assert.equal(await notice.getByText('platform-proxy').count(), person === administrator ? 1 : 0);
            await visitor.assertFits();
            await visitor.visit('/?q=pasta');
            await page.getByText('No reels found').waitFor();
            assert.equal(await notice.count(), 0);
            await page.unroute('**/dashboard/api/platform');
            await visitor.visit('/');
            await page.getByLabel('Analyse a reel').waitFor();
            assert.equal(await notice.count(), 0);
            await page.route('**/dashboard/api/platform', (route) => route.fulfill({ json: { never_answered: true } }));
            await visitor.visit('/');
            await notice.getByRole('button', { name: 'Close this notice' }).click();
            await visitor.visit('/');
            await page.getByLabel('Analyse a reel').waitFor();
            assert.equal(await notice.count(), 0);
            visitor.assertClean();
            await visitor.close();
        }
    });

    test(`a search marks its words and links to their time, at ${width} px`, async () => {
        const person = await invited(administrator, `searching-${width}@example.test`);
        const job = await person.finished(SAMPLE);
        const segment = job.result.audio.segments[0];
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.keyboard.press('/');
        await page.keyboard.type(segment.text.slice(0, 60));
        const mark = page.locator('.row mark').first();
        await mark.waitFor();
        assert.ok(new URL(page.url()).searchParams.get('q').length > 0, 'the address contains the search');
        await page.keyboard.press('ArrowDown');
        await visitor.waitForFocus(page.locator('.row-title a').first());
        await page.locator('.row-title a').first().click();
        await page.locator('.clock').waitFor();
        await visitor.waitForFocus(page.locator('.reel h1'));
        const moment = /^#t=(.*)$/.exec(new URL(page.url()).hash);
        if (moment) {
            const slider = page.getByRole('slider');
            assert.equal(Number(await slider.getAttribute('aria-valuenow')), Number(moment[1]));
        }
        await page.goBack();
        await mark.waitFor();
        await visitor.waitForFocus(page.locator('.row-title a').first());
        await page.getByRole('searchbox', { name: /^Search/ }).fill('');
        await page.locator('.row .status-done').waitFor();
        await page.route('**/dashboard/api/reels/search?**', (route) => route.fulfill({ json: [] }));
        await page.getByRole('searchbox', { name: /^Search/ }).fill('nothing of this');
        await page.getByRole('heading', { name: 'No reels found' }).waitFor();
        await page.getByRole('button', { name: 'Show all reels' }).click();
        await page.locator('.row .status-done').waitFor();
        await page.getByRole('searchbox', { name: /^Search/ }).fill('once more');
        await page.getByRole('heading', { name: 'No reels found' }).waitFor();
        await page.getByRole('searchbox', { name: /^Search/ }).press('Escape');
        await page.locator('.row .status-done').waitFor();
        visitor.assertClean();
    });

    test(`filters and automatic paging, at ${width} px`, async () => {
        const person = await invited(administrator, `many-${width}@example.test`);
        const sample = await person.finished(SAMPLE);
        for (let number = 0; number < MANY; number += 1) {
            await person.submit(`${UNAVAILABLE}?img_index=${number + 1}`); // A separate post.
        }
        await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await rows(page).first().waitFor();
        assert.ok(await rows(page).count() < MANY, 'never all at once');
        const oldest = page.locator(`.row a[href="/reels/${sample.id}"]`);
        await page.waitForFunction((href) => {
            scrollTo(0, document.body.scrollHeight);
            return document.querySelector(`.row a[href="${href}"]`) !== null;
        }, `/reels/${sample.id}`);

        // The scroll position is restored on return from a reel.
        await oldest.click();
        await page.getByRole('slider').waitFor();
        await page.goBack();
        await oldest.waitFor();
        await visitor.waitForFocus(oldest);
        await page.waitForFunction((href) => {
            const { top, bottom } = document.querySelector(`.row a[href="${href}"]`).getBoundingClientRect();
            return top < innerHeight && bottom > 0;
        }, `/reels/${sample.id}`);

        await page.evaluate(() => scrollTo(0, 0));
        await openFilters(visitor);
        await page.locator('.choices label', { hasText: 'Done' }).click();
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
        assert.equal(new URL(page.url()).searchParams.get('status'), 'done');
        await page.locator('.row-author').click();
        await page.waitForURL('**/?author=*');
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
        const author = page.getByRole('combobox', { name: 'Author' });
        // The list was as long before, so that it does not say when the field has changed.
        await page.waitForFunction((name) => document.querySelector('input[list="author-options"]')?.value === name,
            sample.result.platform_meta.author);
        await author.fill('');
        await page.locator('.row .status-error').first().waitFor();
        await page.locator(`#author-options option[value="${sample.result.platform_meta.author}"]`).waitFor({ state: 'attached' });
        const first = sample.result.platform_meta.author.slice(0, 3);
        await author.fill(first);
        assert.equal(new URL(page.url()).search, '', 'a part of a name does not filter');
        await author.press('Enter'); // The only author that begins so.
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
        await author.fill('nobody.at.all');
        await author.press('Enter');
        await page.getByRole('heading', { name: 'No reels by nobody.at.all' }).waitFor();
        await page.getByRole('button', { name: 'Clear the filter' }).click();
        await page.locator('.row .status-error').first().waitFor();

        const dates = page.getByRole('combobox', { name: 'Submitted' });
        await dates.selectOption('Last 7 days');
        await page.waitForURL('**/?from=*');
        await page.locator('.row .status-error').first().waitFor();
        await dates.selectOption('Dates…');
        await page.getByLabel('To', { exact: true }).fill('0202-01-31');
        assert.ok(new URL(page.url()).searchParams.has('from'), 'a year that is being typed changes nothing');
        await page.getByLabel('To', { exact: true }).fill('2020-01-31');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/?to=2020-01-31');
        await page.getByLabel('From', { exact: true }).fill('2020-01-01');
        await page.getByRole('heading', { name: 'No reels submitted from 1 Jan to 31 Jan' }).waitFor();
        assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { from: '2020-01-01', to: '2020-01-31' });
        await visitor.assertLayout();
        await dates.selectOption('Any date');
        await page.locator('.row .status-error').first().waitFor();
        assert.equal(new URL(page.url()).search, '');
        visitor.assertClean();
    });

    test(`a hidden page holds no connection and misses no event, at ${width} px`, async () => {
        const person = await invited(administrator, `hiding-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        const isStream = (request) => request.url().endsWith('/dashboard/api/events');
        const setHidden = (isHidden) => page.evaluate((value) => {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
            document.dispatchEvent(new Event('visibilitychange'));
        }, isHidden);
        await visitor.visit('/');
        await page.locator('.live-live').waitFor();
        const ended = page.waitForEvent('requestfailed', isStream);
        await setHidden(true);
        await ended;
        await page.locator('.live-paused').waitFor();
        await person.finished(UNAVAILABLE);
        const opened = page.waitForRequest(isStream);
        await setHidden(false);
        await opened;
        await page.locator('.row .status-error').waitFor();
        visitor.assertClean();
    });

    test(`the list is dense, and can be a grid, at ${width} px`, async () => {
        const person = await invited(administrator, `views-${width}@example.test`);
        const ids = [];
        for (let number = 0; number < 9; number += 1) {
            ids.push(await person.submit(`${UNAVAILABLE}?img_index=${number + 1}`)); // A separate post.
        }
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await rows(page).nth(8).waitFor();
        const seen = () => page.evaluate(() => [...document.querySelectorAll('.row')]
            .filter((row) => row.getBoundingClientRect().top < innerHeight).length);
        for (const font of ['', '"DejaVu Sans"']) { // A wide font, the only one of a bare Debian.
            const top = await page.evaluate((name) => {
                document.body.style.fontFamily = name;
                return document.querySelector('.row').getBoundingClientRect().top;
            }, font);
            assert.ok(top < (width < 600 ? 370 : 300), `the list begins at ${top} px with the font ${font}`);
        }
        await page.evaluate(() => document.body.style.removeProperty('font-family'));
        assert.ok(await seen() >= (width < 600 ? 5 : 9), 'a screen shows many rows'); // A phone's have two lines of title and of reason.
        const tall = await rows(page).evaluateAll((all) => Math.max(...all.map((row) => row.offsetHeight)));
        assert.ok(tall <= (width < 600 ? 112 : 40), `a row is ${tall} px high`);
        if (width < 600) {
            const top = async (name) => (await page.locator(name).boundingBox()).y;
            const before = await top('.filters-toggle');
            await openFilters(visitor);
            assert.equal(await top('.filters-toggle'), before, 'the open filter leaves its button where it was');
            assert.equal(await top('#author'), await top('#tag'));
            await visitor.assertLayout();
            await openFilters(visitor);
        }
        if (width > 900) {
            await rows(page).first().getByText(`#${ids.at(-1)}`).waitFor();
        }
        await page.getByRole('button', { name: 'Grid' }).click();
        await page.locator('.rows-grid').waitFor();
        const [first, second] = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().top));
        assert.equal(first, second, 'the first two are in one line');
        await visitor.assertFits();
        await visitor.assertAccessible();
        await page.reload();
        await page.locator('.rows-grid .row').first().waitFor();
        await page.getByRole('button', { name: 'List' }).click();
        await page.locator('.rows-list .row').first().waitFor();
        visitor.assertClean();
    });

    test(`a deletion can be undone, at ${width} px`, async () => {
        const person = await invited(administrator, `deleting-${width}@example.test`);
        const { id } = await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.getByRole('button', { name: /^Delete:/ }).click();
        await page.getByRole('heading', { name: 'No reels yet' }).waitFor();
        await visitor.waitForFocus(page.getByRole('button', { name: 'Undo' }));
        await page.keyboard.press('Enter');
        await rows(page).first().waitFor();
        await visitor.waitForFocus(page.getByRole('heading', { name: 'Reels', exact: true }));
        assert.equal((await person.request('GET', `/api/reels/${id}`)).id, id);

        await page.getByRole('button', { name: /^Delete:/ }).click();
        await page.locator('.toast', { hasText: 'Deleted “instagram.com/reel/reelsd-unavailable”' }).waitFor();
        await visitor.assertFits();
        await page.keyboard.press('Control+z');
        await rows(page).first().waitFor();

        await visitor.context.setOffline(true);
        await page.getByRole('button', { name: /^Delete:/ }).click();
        await page.getByRole('button', { name: 'Close this message' }).click();
        await page.getByText('No connection, so the reel was not deleted.').waitFor();
        await page.getByRole('button', { name: 'Close this message' }).click();
        await visitor.context.setOffline(false);
        await rows(page).first().waitFor();

        await page.getByRole('button', { name: /^Delete:/ }).click();
        const deletion = page.waitForRequest((request) => request.method() === 'DELETE');
        await page.getByRole('button', { name: 'Close this message' }).click();
        assert.equal((await (await deletion).response()).status(), 204);
        visitor.assertClean();
    });

    test(`a deletion moves the focus to the next reel, at ${width} px`, async () => {
        const person = await invited(administrator, `going-on-${width}@example.test`);
        const older = await person.finished(UNAVAILABLE);
        await person.finished(`${UNAVAILABLE}?img_index=2`);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.getByRole('button', { name: /^Delete:/ }).first().focus();
        await page.keyboard.press('Enter');
        await visitor.waitForFocus(page.locator(`.row a[href="/reels/${older.id}"]`));
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
        visitor.assertClean();
    });

    test(`earlier analyses are listed below the newest, at ${width} px`, async () => {
        const person = await invited(administrator, `earlier-${width}@example.test`);
        const oldest = await person.finished(UNAVAILABLE);
        const older = await person.finished(UNAVAILABLE);
        const newest = await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await rows(page).first().waitFor();
        assert.equal(await rows(page).count(), 1);
        const toggle = page.getByRole('button', { name: '2 earlier analyses' });
        assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
        await toggle.focus();
        await page.keyboard.press('Enter');
        await page.locator('.earlier-list a').nth(1).waitFor();
        assert.equal(await toggle.getAttribute('aria-expanded'), 'true');
        assert.deepEqual(await page.locator('.earlier-list a').evaluateAll(
            (links) => links.map((link) => link.getAttribute('href'))),
        [`/reels/${older.id}`, `/reels/${oldest.id}`]);
        await visitor.assertFits();
        await visitor.assertAccessible();

        // A newer reel replaces the newest one, which returns when the newer is deleted.
        const again = await person.finished(UNAVAILABLE);
        await page.locator(`.row-title a[href="/reels/${again.id}"]`).waitFor();
        await page.getByRole('button', { name: '3 earlier analyses' }).waitFor();
        assert.equal(await rows(page).count(), 1);
        await person.request('DELETE', `/api/reels/${again.id}`);
        await page.locator(`.row-title a[href="/reels/${newest.id}"]`).waitFor();
        await page.getByRole('button', { name: '2 earlier analyses' }).waitFor();
        await person.request('DELETE', `/api/reels/${oldest.id}`);
        await page.getByRole('button', { name: '1 earlier analysis' }).waitFor();
        visitor.assertClean();
    });

    test(`failed reels are deleted together, at ${width} px`, async () => {
        const person = await invited(administrator, `failed-${width}@example.test`);
        const done = await person.finished(SAMPLE);
        await person.finished(UNAVAILABLE);
        await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await rows(page).first().waitFor();
        assert.equal(await page.getByRole('button', { name: 'Delete failed' }).count(), 0);
        await openFilters(visitor);
        await page.locator('.choices label', { hasText: 'Failed' }).click();
        await page.getByRole('button', { name: 'Delete failed' }).click();
        await visitor.assertFits();
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Delete failed' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete failed' }).click();
        await page.locator('.toast', { hasText: 'Deleted 2 failed reels.' }).waitFor();
        await page.getByRole('heading', { name: 'No failed reels' }).waitFor();
        await visitor.waitForFocus(page.locator('main h1'));
        assert.equal(await page.getByRole('button', { name: 'Delete failed' }).count(), 0);
        await page.getByRole('button', { name: 'Clear the filter' }).click();
        await page.locator(`.row-title a[href="/reels/${done.id}"]`).waitFor();
        visitor.assertClean();
    });

    test(`selected reels are deleted and tried again, at ${width} px`, async () => {
        const person = await invited(administrator, `selecting-${width}@example.test`);
        const links = [1, 2, 3].map((slide) => `${UNAVAILABLE}?img_index=${slide}`);
        for (const link of links) {
            await person.finished(link);
        }
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        const boxes = page.getByRole('checkbox', { name: /^Select:/ });
        await boxes.nth(2).waitFor();
        await boxes.nth(0).focus();
        await page.keyboard.press('Space');
        await boxes.nth(1).check();
        await page.getByText('2 selected').waitFor();
        await visitor.assertFits();
        await visitor.assertAccessible();
        const [request] = await Promise.all([
            page.waitForRequest((one) => one.url().endsWith('/reels/analyze')),
            page.getByRole('button', { name: 'Try again' }).click()]);
        assert.deepEqual(request.postDataJSON().urls, [links[2], links[1]]);
        await page.locator('.toast', { hasText: 'Submitted 2 reels again.' }).waitFor();
        await page.getByRole('button', { name: '1 earlier analysis' }).nth(1).waitFor();
        await page.waitForFunction(() => document.querySelectorAll('.row .status-error').length === 3);

        await page.getByLabel('Select all shown').check();
        await page.getByText('3 selected').waitFor();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.locator('.toast', { hasText: 'Deleted 3 reels' }).waitFor();
        await visitor.waitForFocus(page.getByRole('button', { name: 'Undo' }));
        await page.keyboard.press('Enter');
        await boxes.nth(2).waitFor();
        await boxes.nth(2).check();
        await page.keyboard.press('Control+k');
        const own = page.getByRole('group', { name: '1 selected reel' });
        await own.waitFor();
        assert.deepEqual(await own.locator('.palette-label').allInnerTexts(), ['Tag', 'Try again', 'Delete']);
        await visitor.assertAccessible();
        await page.keyboard.press('Enter'); // Its first entry is the first of all.
        await page.getByRole('dialog', { name: 'Tags of 1 reel' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('Control+k');
        await own.getByRole('option', { name: 'Delete' }).click();
        await page.locator('.toast', { hasText: 'Deleted 1 reel' }).getByRole('button', { name: 'Close this message' })
            .click();
        await page.waitForFunction(() => document.querySelectorAll('.row').length === 2);
        visitor.assertClean();
    });

    test(`a submitted reel outside the list is linked, at ${width} px`, async () => {
        const person = await invited(administrator, `elsewhere-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        for (const path of ['/?q=pasta', '/?status=error']) {
            await visitor.visit(path);
            await page.getByLabel('Analyse a reel').fill(SAMPLE);
            await page.keyboard.press('Enter');
            await page.locator('.toast', { hasText: 'Submitted' }).waitFor();
            await page.getByRole('link', { name: 'Show the reel' }).click();
            await page.waitForURL(/\/reels\/\d+$/);
            await page.locator('.reel-head').waitFor();
        }
        visitor.assertClean();
    });

    test(`leaving the page completes a deletion, at ${width} px`, async () => {
        const person = await invited(administrator, `leaving-${width}@example.test`);
        const { id } = await person.finished(UNAVAILABLE);
        const { visitor: staying } = await open({ person, width });
        await staying.visit('/');
        await rows(staying.page).first().waitFor();
        const { visitor: leaving } = await open({ person, width });
        await leaving.visit(`/reels/${id}`);
        await leaving.page.getByRole('button', { name: 'Delete', exact: true }).click();
        await leaving.page.getByRole('heading', { name: 'No reels yet' }).waitFor();
        await leaving.page.goto('about:blank');
        // Other pages also show the deletion.
        await staying.page.getByRole('heading', { name: 'No reels yet' }).waitFor();
        staying.assertClean();
    });
}

test('a new account has next steps, until they are done or closed', async () => {
    const { visitor, page } = await open({ person: administrator });
    const reel = { id: 1, url: SAMPLE, status: 'done', summary: 'Coffee', author: 'reelsd', code: 'reelsd-sample',
        created_at: '2026-05-22T10:00:00Z', started_at: '2026-05-22T10:00:01Z', finished_at: '2026-05-22T10:00:21Z', earlier: 0 };
    let reels = [reel];
    await page.route('**/dashboard/api/reels?*', (route) => route.fulfill({ json: reels }));
    await page.route('**/dashboard/api/reels/*/thumbnail?*', (route) => route.fulfill({ status: 200, contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
    await visitor.visit('/');
    const guide = page.getByRole('region', { name: 'Next steps' });
    await guide.getByText('1 of 3 done').waitFor(); // The server has a model.
    await guide.getByText('Paste the link of a reel of your own').waitFor();
    await guide.getByRole('button', { name: 'All steps' }).click();
    await guide.getByRole('link', { name: 'Create a token' }).waitFor();
    await guide.getByRole('listitem').filter({ hasText: 'Done:' }).getByText('Add a model').waitFor();
    await visitor.assertLayout();

    reels = [{ ...reel, id: 2, url: 'https://www.instagram.com/reel/DYa0IXPgnP5/', code: 'DYa0IXPgnP5' }, reel];
    await page.reload();
    await page.locator('.row a[href="/reels/2"]').waitFor();
    await guide.getByText('2 of 3 done').waitFor();
    const { id } = await administrator.request('POST', '/api/tokens', { name: 'steps' });
    await page.reload();
    await page.locator('.row a[href="/reels/2"]').waitFor();
    await guide.waitFor({ state: 'detached' });

    await administrator.request('DELETE', `/api/tokens/${id}`);
    reels = [reel];
    await page.reload();
    await guide.getByRole('button', { name: 'Close the next steps' }).click();
    await guide.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.row').first().waitFor();
    assert.equal(await guide.count(), 0);
    visitor.assertClean();
});

test('a running reel shows its time next to the usual one, a waiting one its place', async () => {
    const { visitor, page } = await open({ person: administrator });
    const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();
    const done = (id) => ({ id, url: `${SAMPLE}?img_index=${id}`, status: 'done', summary: `Coffee ${id}`, author: 'reelsd',
        created_at: at(-900), started_at: at(-900), finished_at: at(-880), earlier: 0 });
    const running = { id: 9, url: UNAVAILABLE, status: 'processing', created_at: at(-8), started_at: at(-7), earlier: 0 };
    const waiting = { id: 10, url: UNAVAILABLE, status: 'pending', created_at: at(-8), earlier: 0, queue_position: 12,
        expected_start_at: at(3000) };
    await page.route('**/dashboard/api/reels?*', (route) => route.fulfill({ json: [waiting, running, done(3), done(2), done(1)] }));
    await page.route('**/dashboard/api/reels/*/thumbnail?*', (route) => route.fulfill({ status: 200, contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
    await visitor.visit('/');
    await page.locator('.row').nth(1).getByText(/^for (\d+ s of about 20 s|.+, usually 20 s)$/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const place = page.getByText(/^Position 12 in your queue, starts in about /);
    assert.ok(await place.evaluate((note) => note.scrollHeight <= note.clientHeight && note.scrollWidth <= note.clientWidth));
    visitor.assertClean();
});

test('a search has filters, and its hits can be selected', async () => {
    const { visitor, page } = await open({ person: administrator });
    const hit = (id, author) => ({ id, url: SAMPLE, author, summary: `By ${author}`, created_at: '2026-05-22T10:00:00Z', score: 0.5,
        match: { field: 'content.summary', text: `By ${author}` } });
    const asked = [];
    await page.route('**/dashboard/api/reels/search?*', (route) => {
        asked.push(Object.fromEntries(new URL(route.request().url()).searchParams));
        return route.fulfill({ json: asked.at(-1).author ? [hit(1, 'a_cook')] : [hit(2, 'b_cook'), hit(1, 'a_cook')] });
    });
    await page.route('**/dashboard/api/reels/*/thumbnail?*', (route) => route.fulfill({ status: 200, contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
    await visitor.visit('/?q=pasta&author=%40A_cook');
    await page.locator('.row a[href="/reels/1"]').waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('combobox', { name: 'Author' }).fill('');
    await page.locator('.row a[href="/reels/2"]').waitFor();
    await page.getByRole('combobox', { name: 'Submitted' }).selectOption('custom');
    const filtered = page.waitForResponse(/reels\/search\?.*from=2026-05-01/);
    await page.getByLabel('From').fill('2026-05-01');
    await filtered;
    await page.locator('.row a[href="/reels/2"]').waitFor();
    assert.deepEqual(asked.map(({ q, author, from }) => [q, author, from]),
        [['pasta', 'A_cook', undefined], ['pasta', undefined, undefined], ['pasta', undefined, '2026-05-01']]);
    await page.getByRole('checkbox', { name: 'Select: By b_cook' }).check();
    await page.getByRole('checkbox', { name: 'Select: By a_cook' }).click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'the options of hits are unknown');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    visitor.assertClean();
});
