// The list of reels at its limits: many reels, requests in parts, and failures in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';

const { daemon, open, administrator } = await start();

const rows = (page) => page.locator('.row');

test('hundreds of reels are tagged and deleted within the bounds of one request', async () => {
    const { visitor, page } = await open({ person: administrator });
    const ids = Array.from({ length: 260 }, (_, index) => 12_260 - index);
    await page.route('**/dashboard/api/reels?*', (route) => route.fulfill({ json: ids.map((id) => ({ id, url: `${SAMPLE}?img_index=${id % 1000}`,
        status: 'done', summary: `Coffee ${id}`, created_at: '2026-05-22T10:00:00Z', earlier: 0 })) }));
    await page.route('**/dashboard/api/reels/*/thumbnail?*', (route) => route.fulfill({ status: 200, contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
    const tagged = [];
    await page.route('**/dashboard/api/reels/tags', (route) => {
        if (route.request().method() === 'POST') {
            tagged.push(route.request().postDataJSON().ids);
        }
        return route.fulfill({ json: [] });
    });
    const deleted = [];
    const released = [];
    await page.route(/\/dashboard\/api\/reels\/\d+$/, async (route) => {
        deleted.push(Number(/\d+$/.exec(route.request().url())[0]));
        await new Promise((resolve) => { released.push(resolve); });
        await route.fulfill({ status: 204 });
    });
    await visitor.visit('/');
    await rows(page).first().waitFor();
    for (const width of [1100, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await page.locator('.row-meta > :last-child').evaluateAll(
            (times) => times.filter((one) => one.scrollWidth > one.clientWidth).length), 0, 'no time is cut');
    }
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Add').fill('coffee');
    await page.getByRole('dialog').getByRole('button', { name: 'Change tags' }).click();
    await page.getByText('Changed the tags of 260 reels.').waitFor();
    assert.deepEqual(tagged.map((part) => part.length), [100, 100, 60]);
    assert.deepEqual(tagged.flat(), ids);

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.toast', { hasText: 'Deleted 260 reels' }).getByRole('button', { name: 'Close this message' }).click();
    while (deleted.length < ids.length || released.length > 0) {
        await page.waitForTimeout(20);
        assert.ok(released.length <= 50, `${released.length} requests at once`);
        released.splice(0).forEach((release) => release());
    }
    assert.deepEqual(deleted.sort((one, other) => other - one), ids);
    assert.equal(await page.locator('.row').count(), 0);
    visitor.assertClean();
});

test('after a failure in between, only links without an answer are sent again', async () => {
    const { visitor, page } = await open({ person: administrator });
    const reel = (id, options) => ({ id, url: `${UNAVAILABLE}?img_index=${id}`, status: 'error', error: 'gone', options,
        created_at: '2026-05-22T10:00:00Z', earlier: 0 });
    await page.route('**/dashboard/api/reels?*', (route) => route.fulfill({ json: [reel(3), reel(2, { language: 'de' }), reel(1)] }));
    let sent = [];
    await page.route('**/dashboard/api/reels/analyze', (route) => { // Each second request fails.
        const { urls } = route.request().postDataJSON();
        sent.push(urls.length);
        return sent.length % 2 === 0 ? route.abort()
            : route.fulfill({ status: 202, json: urls.map((url, index) => ({ url, id: 100 + index, status: 'pending' })) });
    });
    await visitor.visit('/');
    await rows(page).nth(2).waitFor();
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.toast', { hasText: 'Submitted 2 reels again. 1 reel not submitted: No connection.' }).waitFor();
    assert.deepEqual(sent, [2, 1]);
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();

    sent = [];
    const links = Array.from({ length: 52 }, (_, number) => `${UNAVAILABLE}?img_index=${number + 1}`);
    await page.getByLabel('Analyse a reel').fill(links.join('\n'));
    await page.keyboard.press('Enter');
    await page.getByText('50 of 52 links submitted.').waitFor();
    await page.locator('.submit .note-fail').waitFor();
    assert.deepEqual(sent, [50, 2]);
    assert.equal(await page.getByLabel('Analyse a reel').inputValue(), links.slice(50).join('\n'));
    visitor.assertClean();
});

test('rows below the newest hundred are fetched, also after an interruption', async () => {
    const { visitor, page } = await open({ person: administrator });
    const reel = (id, status) => ({ id, url: `${UNAVAILABLE}?img_index=${id}`, status, created_at: '2026-05-22T10:00:00Z', earlier: 0 });
    let reels = Array.from({ length: 104 }, (_, index) => reel(104 - index, index < 102 ? 'error' : 'processing'));
    let held = null;
    await page.route('**/dashboard/api/reels?*', async (route) => {
        await held;
        const query = new URL(route.request().url()).searchParams;
        const left = reels.filter(({ id }) => id < Number(query.get('cursor') ?? 1000));
        const json = left.slice(0, Number(query.get('limit')));
        query.set('cursor', json.at(-1).id);
        const headers = json.length < left.length ? { Link: `</dashboard/api/reels?${query}>; rel="next"` } : {};
        return route.fulfill({ json, headers });
    });
    const interrupt = () => page.evaluate(() => {
        for (const isHidden of [true, false]) {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event('visibilitychange'));
        }
    });
    await visitor.visit('/');
    await page.locator('.live-live').waitFor();
    let release;
    held = new Promise((resolve) => { release = resolve; });
    const refreshed = page.waitForRequest('**/dashboard/api/reels?*');
    await interrupt();
    await refreshed;
    await page.evaluate(() => new Promise((resolve) => { // The end is in view before the response.
        scrollTo(0, document.body.scrollHeight);
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    }));
    release();
    await page.waitForFunction(() => {
        scrollTo(0, document.body.scrollHeight);
        return document.querySelectorAll('.row').length === 104;
    });
    reels = [...reels.slice(0, 102), reel(1, 'error')]; // The second has been deleted.
    await interrupt();
    await page.locator('.row', { has: page.locator('a[href="/reels/1"]') }).locator('.status-error').waitFor();
    assert.equal(await rows(page).count(), 103);
    visitor.assertClean();
});

test('an upload keeps what is typed meanwhile, and reports its failure on another page', async () => {
    const { visitor, page } = await open({ person: administrator });
    const [link, typed] = ['https://www.instagram.com/reel/DYa0IXPgnP5/', UNAVAILABLE];
    const field = page.getByLabel('Analyse a reel');
    const answers = [{ status: 202, json: { id: 7, status: 'pending' } }, { status: 429, json: { message: 'too many uploads' } }];
    let release;
    await page.route('**/dashboard/api/reels/analyze', async (route) => {
        await new Promise((resolve) => { release = resolve; });
        await route.fulfill(answers.shift());
    });
    const upload = async () => {
        const sent = page.waitForRequest('**/dashboard/api/reels/analyze');
        await page.getByLabel('Video files').setInputFiles({ name: 'a.mp4', mimeType: 'video/mp4', buffer: Buffer.from('a') });
        await sent;
    };
    const drop = async (name) => {
        const dataTransfer = await page.evaluateHandle((file) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(['a'], file));
            return transfer;
        }, name);
        await page.locator('.submit').dispatchEvent('dragover', { dataTransfer });
        await page.locator('.submit-over').waitFor();
        await page.locator('.submit').dispatchEvent('drop', { dataTransfer });
    };
    await visitor.visit(`/?upload=${encodeURIComponent(link)}`);
    await drop('notes.txt');
    await page.locator('.toast', { hasText: 'Not uploaded, because not a video: notes.txt' }).waitFor();
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Analyse again, even if done within a day').check();
    await upload();
    await drop('b.mp4');
    await page.locator('.toast', { hasText: 'Not uploaded: another submission is in progress.' }).waitFor();
    await page.locator('.choices label', { hasText: 'Failed' }).click();
    await page.waitForURL('**/?status=error');
    await page.locator('.upload').waitFor();
    assert.equal(await field.inputValue(), '');
    await field.fill(typed);
    release();
    await page.locator('.toast', { hasText: 'Submitted' }).waitFor();
    assert.equal(await field.inputValue(), typed);
    assert.equal(await page.getByLabel('Analyse again, even if done within a day').isChecked(), false, 'it applies once');
    assert.equal(new URL(page.url()).search, '?status=error');

    await upload();
    await page.locator('.top-tools a[href="/account"]').click();
    await page.getByLabel('Current password').waitFor();
    release();
    await page.locator('.toast', { hasText: 'Not uploaded: a.mp4: Too many uploads.' }).waitFor();
    visitor.assertClean('429 /dashboard/api/reels/analyze');
});

test('an upload that the address asks for leaves typed links as they are', async () => {
    const { visitor, page } = await open({ person: administrator });
    const [link, typed] = ['https://www.instagram.com/reel/DYa0IXPgnP5/', `${SAMPLE}\n${UNAVAILABLE}`];
    const field = page.getByLabel('Analyse a reel');
    const sent = [];
    await page.route('**/dashboard/api/reels/analyze', (route) => {
        sent.push(route.request().postData());
        return route.fulfill({ status: 202, json: { id: 7, status: 'pending' } });
    });
    const assertText = async (search, text) => {
        await page.waitForURL((url) => url.search === search);
        await visitor.settled();
        assert.equal(await field.inputValue(), text);
    };
    const follow = (address) => page.evaluate((href) => {
        const offer = Object.assign(document.createElement('a'), { href });
        document.body.append(offer);
        offer.click();
        offer.remove();
    }, address);
    await visitor.visit('/');
    await field.fill(typed);
    const offered = `?upload=${encodeURIComponent(link)}`;
    await follow(`/${offered}`);
    await assertText(offered, link);
    await field.fill(UNAVAILABLE);
    await follow('/account');
    await page.getByLabel('Current password').waitFor();
    await follow('/');
    await assertText('', typed);

    await follow('/?upload='); // Of a file that was too long.
    await assertText('?upload=', '');
    await page.getByLabel('Video files').setInputFiles({ name: 'a.mp4', mimeType: 'video/mp4', buffer: Buffer.from('a') });
    await assertText('', typed);
    assert.ok(!sent[0].includes('name="url"'), sent[0]);

    await follow(`/${offered}`);
    await assertText(offered, link);
    await field.press('Enter');
    await assertText('', typed);
    assert.equal(JSON.parse(sent[1]).url, link);

    // Links that belong to no single video are not sent with it.
    const upload = async (...names) => {
        const answered = page.waitForResponse('**/dashboard/api/reels/analyze');
        await page.getByLabel('Video files').setInputFiles(
            names.map((name) => ({ name, mimeType: 'video/mp4', buffer: Buffer.from('a') })));
        await answered;
        await page.locator('.upload').waitFor({ state: 'detached' });
    };
    await upload('b.mp4');
    await assertText('', typed);
    await follow(`/${offered}`);
    await assertText(offered, link);
    await upload('c.mp4', 'd.mp4');
    await assertText(offered, link);
    assert.ok(sent.slice(2).every((form) => !form.includes('name="url"')));
    assert.equal(sent.length, 5);
    visitor.assertClean();
});

test('an upload in progress is shown on return, and its link cannot be submitted meanwhile', async () => {
    const { visitor, page } = await open({ person: administrator });
    const field = page.getByLabel('Analyse a reel');
    const button = page.getByRole('button', { name: 'Analyse', exact: true });
    let sent = 0;
    let release;
    await page.route('**/dashboard/api/reels/analyze', async (route) => {
        sent += 1;
        await new Promise((resolve) => { release = resolve; });
        await route.fulfill({ status: 202, json: { id: 7, status: 'pending' } });
    });
    await visitor.visit('/');
    await field.fill(UNAVAILABLE);
    await page.getByLabel('Video files').setInputFiles({ name: 'a.mp4', mimeType: 'video/mp4', buffer: Buffer.from('a') });
    await page.locator('.upload').waitFor();
    await page.locator('.top-tools a[href="/account"]').click();
    await page.getByLabel('Current password').waitFor();
    await page.goBack();
    await page.locator('.upload', { hasText: 'a.mp4' }).waitFor();
    assert.equal(await field.inputValue(), UNAVAILABLE);
    assert.ok(await button.isDisabled());
    await field.press('Enter');
    release();
    await page.locator('.toast', { hasText: 'Submitted' }).waitFor();
    await field.and(page.locator(':placeholder-shown')).waitFor();
    assert.ok(await button.isEnabled());
    assert.equal(await page.locator('.upload').count(), 0);
    assert.equal(sent, 1);
    visitor.assertClean();
});

test('a submission whose response was lost is not analysed twice', async () => {
    const { visitor, page } = await open({ person: administrator });
    const seen = [];
    await page.route('**/dashboard/api/reels/analyze', async (route) => {
        const response = await route.fetch();
        seen.push((await response.json()).id);
        await (seen.length % 2 ? route.abort() : route.fulfill({ response }));
    });
    await visitor.visit('/');
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Analyse again, even if done within a day').check();
    const field = page.getByLabel('Analyse a reel');
    for (const count of [2, 4]) { // The next submission of the link is another one.
        await field.fill(UNAVAILABLE);
        await field.press('Enter');
        await page.locator('.submit .note-fail').waitFor();
        await field.press('Enter');
        await field.and(page.locator(':placeholder-shown')).waitFor();
        assert.equal(seen.length, count);
    }
    assert.equal(seen[0], seen[1]);
    assert.equal(seen[2], seen[3]);
    assert.notEqual(seen[1], seen[2]);
    visitor.assertClean();
});

test('each of several files has an outcome', async () => {
    const { visitor, page } = await open({ person: administrator });
    const answers = [[500, { message: 'no disk' }], [202, { id: 7, status: 'pending' }],
        [413, { message: 'the video is larger than 100 MiB' }], [429, { message: 'too many uploads' }]];
    await page.route('**/dashboard/api/reels/analyze', (route) => {
        const [status, json] = answers.shift();
        return route.fulfill({ status, json });
    });
    const choose = (...names) => page.getByLabel('Video files').setInputFiles(
        names.map((name) => ({ name, mimeType: 'video/mp4', buffer: Buffer.from('a') })));
    await visitor.visit('/');
    const field = page.getByLabel('Analyse a reel');
    const failures = page.locator('.submit .note-fail');
    await field.fill(UNAVAILABLE);
    await field.press('Enter');
    await failures.getByText('No disk.').waitFor();
    await choose('a.mp4', 'b.mp4', 'c.mp4', 'd.mp4');
    const note = page.locator('.submit .note', { hasText: '1 of 4 videos submitted.' });
    await note.waitFor();
    assert.deepEqual(await note.getByRole('listitem').allInnerTexts(),
        ['b.mp4: The video is larger than 100 MiB.', 'c.mp4: Too many uploads.', 'd.mp4: Not sent.']);
    await failures.getByText('Too many uploads.').waitFor();
    assert.equal(await failures.count(), 1);
    assert.deepEqual(answers, []);

    answers.push([429, { message: 'too many videos' }], [202, { id: 8, status: 'pending' }]);
    await choose('d.mp4');
    await note.waitFor({ state: 'detached' });
    await failures.getByText('Too many videos.').waitFor();
    await field.press('Enter');
    await field.and(page.locator(':placeholder-shown')).waitFor();
    assert.equal(await failures.count(), 0);
    visitor.assertClean('500 /dashboard/api/reels/analyze', '413 /dashboard/api/reels/analyze', '429 /dashboard/api/reels/analyze',
        '429 /dashboard/api/reels/analyze');
});

test('signing out ends submissions and the request for saved searches', async () => {
    const leaving = await invited(administrator, 'leaving@example.test');
    await leaving.finished(UNAVAILABLE);
    const { visitor, page } = await open({ person: leaving });
    const held = /\/(reels\/analyze|searches)$/;
    await page.route(held, () => {}); // Without a response.
    const sent = [];
    const send = async (act) => {
        const request = page.waitForRequest(held);
        await act();
        sent.push(await request);
    };
    await visitor.visit('/');
    await send(() => page.getByRole('button', { name: 'Saved searches' }).click());
    await page.getByRole('checkbox', { name: /^Select:/ }).check();
    await send(() => page.getByRole('button', { name: 'Try again' }).click());
    await send(() => page.getByLabel('Video files').setInputFiles(
        { name: 'a.mp4', mimeType: 'video/mp4', buffer: Buffer.from('a') }));
    const ended = sent.map((request) => page.waitForEvent('requestfailed', (other) => other === request));
    await page.locator('.top-tools a[href="/account"]').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await Promise.all(ended);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.locator('.toast').count(), 0);
    visitor.assertClean();
});

test('a page that was opened while the server was away loads once it is back', async () => {
    const { visitor, page } = await open({ person: administrator });
    // Each response ends, and the browser resumes the stream.
    await page.route('**/dashboard/api/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: 'retry: 50\n\n' }));
    let failures = 3;
    const answer = (route) => {
        failures -= 1;
        return failures >= 0 ? route.abort() : route.continue();
    };
    await page.route('**/dashboard/api/tokens', answer);
    await visitor.visit('/tokens');
    await page.getByText('No tokens yet').waitFor();
    failures = 3;
    await page.route('**/dashboard/api/reels?*', answer);
    await visitor.visit('/');
    await page.getByRole('heading', { name: /^No reels yet$/ }).or(rows(page).first()).waitFor();
    assert.equal(await page.locator('.note-fail').count(), 0);
    visitor.assertClean();
});

test('a new reel of a post below the loaded ones has its number of earlier analyses', async () => {
    const { visitor, page } = await open({ person: administrator });
    const reel = (id, earlier) => ({ id, url: `${UNAVAILABLE}?img_index=${id}`, status: 'done', created_at: '2026-05-22T10:00:00Z', earlier });
    let reels = [reel(5, 0)];
    await page.route('**/dashboard/api/reels?*', (route) => route.fulfill({ json: reels,
        headers: { Link: '</dashboard/api/reels?cursor=5>; rel="next"' } }));
    await page.route('**/dashboard/api/reels?cursor=5', () => {});
    await page.route('**/dashboard/api/reels/analyze', (route) => {
        reels = [{ ...reel(9, 2), url: SAMPLE }, ...reels];
        return route.fulfill({ status: 202, json: { id: 9, status: 'processing' } }); // A pending one is refreshed.
    });
    await visitor.visit('/');
    await rows(page).first().waitFor();
    await page.getByLabel('Analyse a reel').fill(SAMPLE);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '2 earlier analyses' }).waitFor();
    assert.equal(await rows(page).count(), 2);
});
