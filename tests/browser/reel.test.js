// The page of a reel: timeline, facts, actions.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { invited, RATE_LIMITED, SAMPLE, UNAVAILABLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();
afterEach(daemon.release);
const person = await invited(administrator, 'person@example.test');
const sample = await person.finished(SAMPLE);

const timeOf = async (page) => Number(await page.getByRole('slider').getAttribute('aria-valuenow'));
const marked = (page, kind) => page.locator(`.spans-${kind} [aria-current="true"]`);

for (const width of WIDTHS) {
    test(`the time cursor synchronises all lists, at ${width} px`, async () => {
        const { duration_seconds: duration } = sample.result.metadata;
        const segments = sample.result.audio.segments;
        const last = segments.at(-1);
        const { visitor, page } = await open({ person, width });
        await visitor.visit(`/reels/${sample.id}`);
        const slider = page.getByRole('slider', { name: 'Time in the reel' });

        // By a click on the transcript.
        await page.locator('.spans-speech .entry').last().click();
        assert.equal(await timeOf(page), last.start_seconds);
        await marked(page, 'speech').filter({ hasText: last.text }).waitFor();
        await page.waitForURL(`**/reels/${sample.id}#t=*`);

        // By keyboard.
        await slider.focus();
        await page.keyboard.press('Home');
        assert.equal(await timeOf(page), 0);
        await page.keyboard.press('ArrowRight');
        assert.equal(await timeOf(page), 0.5);
        await page.keyboard.press('End');
        assert.equal(await timeOf(page), duration);
        assert.match(await slider.getAttribute('aria-valuetext'), / of /);

        // By dragging the pointer.
        const area = await page.locator('.timeline-area').boundingBox();
        if (width < 600) {
            await page.touchscreen.tap(area.x + area.width / 4, area.y + area.height / 2);
            assert.ok(Math.abs(await timeOf(page) - duration / 4) < duration / 20);
        }
        await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
        await page.mouse.down();
        assert.ok(Math.abs(await timeOf(page) - duration / 2) < duration / 20);
        await page.mouse.move(area.x + 1, area.y + area.height / 2);
        await page.mouse.up();
        assert.ok(await timeOf(page) < duration / 20);
        await page.keyboard.press('ArrowRight');
        assert.ok(await timeOf(page) >= 0.5, 'arrow keys go on where the pointer was');

        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`a link to a time opens at that time, at ${width} px`, async () => {
        const seconds = sample.result.audio.segments[0].start_seconds;
        const { visitor } = await open({ person, width });
        await visitor.visit(`/reels/${sample.id}#t=${seconds}`);
        assert.equal(await timeOf(visitor.page), seconds);
        visitor.assertClean();
    });

    test(`the result can be read, copied and downloaded, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByRole('heading', { level: 1, name: sample.result.content.summary }).waitFor();
        await page.getByTitle(sample.result.metadata.sha256).waitFor();
        await page.getByRole('region', { name: 'Cost' }).getByText('No cost.').waitFor();
        const menu = page.getByRole('button', { name: 'Export' });
        for (const [name, beginning] of [['Subtitles, SRT', '1\n'], ['Subtitles, WebVTT', 'WEBVTT'],
            ['JSON', `{"id":${sample.id},`]]) {
            const download = page.waitForEvent('download');
            await menu.click();
            await page.getByRole('link', { name, exact: true }).click();
            const stream = await (await download).createReadStream();
            const pieces = [];
            for await (const piece of stream) {
                pieces.push(piece);
            }
            const text = Buffer.concat(pieces).toString('utf8').replaceAll('\r', '');
            assert.ok(text.startsWith(beginning), `${name}: ${text.slice(0, 40)}`);
        }
        await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
        for (const [name, words] of [['Copy link', `${daemon.origin}/reels/${sample.id}`], ['Copy the transcript', sample.result.audio.segments.map(({ text }) => text).join('\n')],
            ['Copy as Markdown', `# ${sample.result.content.summary}`]]) {
            await menu.click();
            await page.getByRole('button', { name, exact: true }).click();
            await page.locator('.toast', { hasText: 'Copied' }).last().waitFor();
            const copied = await page.evaluate(() => navigator.clipboard.readText());
            assert.ok(copied.startsWith(words), copied);
        }
        const own = page.getByRole('group', { name: 'This reel' }).getByRole('option');
        await page.keyboard.press('Control+k');
        await own.first().waitFor();
        assert.deepEqual(await own.allInnerTexts(), ['Copy link', 'Copy transcript', 'Analyse again', 'Export', 'Add a tag', 'Delete']);
        await visitor.assertAccessible();
        await page.keyboard.press('Enter');
        await page.waitForFunction(async (link) => await navigator.clipboard.readText() === link,
            `${daemon.origin}/reels/${sample.id}`);
        await page.keyboard.press('Control+k');
        await page.keyboard.type('transcript');
        await page.keyboard.press('Enter');
        await page.waitForFunction(async (text) => await navigator.clipboard.readText() === text,
            sample.result.audio.segments.map(({ text }) => text).join('\n'));
        for (const [name, reached] of [['Export', page.getByRole('button', { name: 'Copy as Markdown' })],
            ['Add a tag', page.getByLabel('New tag').and(page.locator(':focus'))], ['Analyse again', page.getByRole('dialog', { name: 'Analyse again' })]]) {
            await page.keyboard.press('Control+k');
            await page.keyboard.type(name);
            await page.keyboard.press('Enter');
            await reached.waitFor();
        }
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByText('JSON of the API').click();
        const shown = JSON.parse(await page.locator('.raw pre').innerText());
        assert.deepEqual(shown.result, sample.result);
        await page.getByRole('button', { name: 'Copy the JSON' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.deepEqual(JSON.parse(copied), shown);
        // Screen readers announce the same sentence again only in a new element.
        const announced = page.locator('p.unseen[role="status"] > span');
        await announced.evaluate((one) => { one.dataset.isOld = ''; });
        await page.getByRole('button', { name: /^Cop(ied|y the JSON)$/ }).click();
        await page.locator('[data-is-old]').waitFor({ state: 'detached' });
        assert.equal(await announced.innerText(), 'Copied the JSON.');
        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`another analysis opens the new reel and its progress, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByRole('button', { name: 'Analyse again' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Analyse again' }).click();
        await page.waitForURL((url) => /^\/reels\/\d+$/.test(url.pathname)
            && url.pathname !== `/reels/${sample.id}`);
        await page.locator('.reel-head .status-done').waitFor({ timeout: 120_000 });
        await page.getByRole('slider').waitFor();
        visitor.assertClean();
    });

    test(`a reel opened while it is in progress shows its progress, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        daemon.hold();
        const { id } = await person.request('POST', '/api/reels/analyze', { url: SAMPLE, fresh: true });
        await visitor.visit('/');
        const row = page.locator('.row', { has: page.locator(`a[href="/reels/${id}"]`) });
        await row.getByText('Analysing').first().waitFor();
        await page.reload(); // After a reload, the data come from the daemon.
        await row.getByText('Analysing').first().waitFor();
        await row.locator('a').first().click();
        await page.locator('.progress [aria-current="step"]').first().waitFor();
        daemon.release();
        await page.locator('.reel-head .status-done').waitFor({ timeout: 120_000 });
        visitor.assertClean();
    });

    test(`a reel in progress is followed by its events and fetched once, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        daemon.hold();
        const { id } = await person.request('POST', '/api/reels/analyze', { url: SAMPLE, fresh: true });
        const asked = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        const isStream = (request) => request.url().endsWith(`/dashboard/api/reels/${id}/events`);
        const setHidden = (isHidden) => page.evaluate((value) => {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
            document.dispatchEvent(new Event('visibilitychange'));
        }, isHidden);
        const followed = page.waitForRequest(isStream);
        await visitor.visit(`/reels/${id}`);
        await followed;
        await page.locator('.progress [aria-current="step"]').first().waitFor();
        // A hidden page holds no connection.
        const left = page.waitForEvent('requestfailed', isStream);
        await setHidden(true);
        await left;
        const again = page.waitForRequest(isStream);
        await setHidden(false);
        await again;
        daemon.release();
        await page.locator('.reel-head .status-done').waitFor({ timeout: 120_000 });
        await page.getByRole('slider').waitFor();
        assert.equal(asked.filter((path) => path === `/dashboard/api/reels/${id}`).length, 1);
        visitor.assertClean();
    });

    test(`a reel that is deleted elsewhere while it is in progress is not found, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        daemon.hold();
        const { id } = await person.request('POST', '/api/reels/analyze', { url: SAMPLE, fresh: true });
        await visitor.visit(`/reels/${id}`);
        await page.locator('.progress').waitFor();
        await person.request('DELETE', `/api/reels/${id}`);
        await page.getByRole('heading', { name: 'Not found' }).waitFor();
    });

    test(`a failure says why and what to do, at ${width} px`, async () => {
        const failed = await person.finished(UNAVAILABLE);
        const { visitor, page } = await open({ person, width });
        await visitor.visit(`/reels/${failed.id}`);
        await page.getByText(failed.error).waitFor();
        await page.getByText('unavailable', { exact: true }).waitFor();
        for (const name of ['Try again', 'Analyse again']) {
            assert.equal(await page.getByRole('button', { name }).count(), 0, name);
        }
        await visitor.assertFits();
        await page.getByRole('link', { name: 'Upload the video instead' }).click();
        await page.waitForURL((url) => url.searchParams.get('upload') === failed.url);
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), failed.url);
        await page.route(`**/dashboard/api/reels/${failed.id}`,
            (route) => route.fulfill({ json: { ...failed, error_code: 'model_failed', retryable: false } }));
        await page.goBack();
        const note = page.locator('.note-fail', { hasText: 'Analyse it again with another analyzer' });
        await note.getByRole('button', { name: 'Analyse again' }).click();
        await page.getByRole('dialog', { name: 'Analyse again' }).waitFor();
        await page.route(`**/dashboard/api/reels/${failed.id}`,
            (route) => route.fulfill({ json: { ...failed, url: 'upload:clip.mp4', error_code: 'video_too_long', retryable: false } }));
        await visitor.visit(`/reels/${failed.id}`);
        await page.getByRole('link', { name: 'Upload a shorter cut' }).click();
        await visitor.waitForFocus(page.getByRole('button', { name: 'Upload a video' }));
        visitor.assertClean();
    });

    test(`a failed reel counts down to its retry, at ${width} px`, async () => {
        const failed = await person.finished(RATE_LIMITED);
        const { visitor, page } = await open({ person, width });
        await page.clock.install({ time: new Date(failed.finished_at) });
        await page.route(`**/dashboard/api/reels/${failed.id}`,
            (route) => route.fulfill({ json: { ...failed, retry_after_seconds: 900 } }));
        await visitor.visit(`/reels/${failed.id}`);
        await page.getByText(failed.error).waitFor();
        await page.getByText(/^You can try again in 1[45] min/).waitFor();
        const again = page.getByRole('button', { name: 'Try again' });
        assert.ok(await again.isDisabled());
        await visitor.assertFits();
        await page.clock.fastForward('15:00');
        const submission = page.waitForRequest((request) => request.url().endsWith('/reels/analyze'));
        await again.click();
        assert.deepEqual((await submission).postDataJSON(), { url: failed.url, queue: true });
        await page.waitForURL((url) => /^\/reels\/\d+$/.test(url.pathname)
            && url.pathname !== `/reels/${failed.id}`);
        visitor.assertClean();
    });

    test(`markup in captions, names and speech is text, at ${width} px`, async () => {
        const hostile = await person.finished(daemon.hostileLink);
        assert.equal(hostile.status, 'done', JSON.stringify(hostile));
        const { visitor, page } = await open({ person, width });
        await visitor.visit('/');
        await page.locator('.row', { hasText: daemon.hostileText }).first().waitFor();
        await visitor.visit(`/?q=${encodeURIComponent(daemon.hostileText)}`);
        await page.locator('.row', { hasText: daemon.hostileText }).first().waitFor();
        await visitor.visit(`/reels/${hostile.id}`);
        for (const place of ['h1', '.caption', '.spans-speech', '.word']) {
            await page.locator(place, { hasText: daemon.hostileText }).first().waitFor();
        }
        assert.equal(await page.locator('main img[src="x"], main script').count(), 0);
        assert.doesNotMatch(await page.title(), /^taken/);
        await visitor.assertFits();
        visitor.assertClean();
    });
}

test('the words of the lists have room at every width', async () => {
    const { visitor } = await open({ person });
    await visitor.visit(`/reels/${sample.id}`);
    await visitor.page.locator('.spans-moment .entry').first().waitFor();
    for (const width of [320, 640, 801, 900, 1024, 1440]) {
        await visitor.page.setViewportSize({ width, height: 900 });
        const narrowest = await visitor.page.locator('.spans .entry').evaluateAll(
            (entries) => Math.min(...entries.map((entry) => entry.lastElementChild.getBoundingClientRect().width)));
        assert.ok(narrowest >= 80, `${narrowest} px for words at ${width} px`);
    }
});

test('a reel being fetched when the stream opens is requested once', async () => {
    const { visitor, page } = await open({ person, width: WIDTHS[0] });
    await page.addInitScript(() => {
        window.opened = [];
        window.EventSource = class extends EventSource {
            constructor(url) {
                super(url);
                // After the page has reacted.
                this.addEventListener('open', () => setTimeout(() => window.opened.push(url)));
            }
        };
    });
    let asked = 0;
    let noteAsked;
    const isAsked = new Promise((resolve) => { noteAsked = resolve; });
    await page.route('**/dashboard/api/events', async (route) => {
        await isAsked;
        await route.continue();
    });
    await page.route(`**/dashboard/api/reels/${sample.id}`, async (route) => {
        asked += 1;
        noteAsked();
        await page.waitForFunction(() => window.opened.includes('/dashboard/api/events'));
        await route.continue();
    });
    await visitor.visit(`/reels/${sample.id}`);
    await page.getByRole('slider').waitFor();
    assert.equal(asked, 1);
    visitor.assertClean();
});

test('notes on an analysis without a model name no model', async () => {
    const { id } = await person.request('POST', '/api/reels/analyze', { url: SAMPLE, language: 'de' });
    const { visitor, page } = await open({ person });
    await visitor.visit(`/reels/${id}`);
    const note = page.locator('.note', { has: page.getByRole('heading', { name: 'Notes on this analysis' }) });
    await note.getByText('language was ignored: the local analyzer writes English').waitFor();
    visitor.assertClean();
});

test('an upload has no author', async () => {
    const { result } = sample;
    const { visitor, page } = await open({ person });
    await page.route(`**/dashboard/api/reels/${sample.id}`, (route) => route.fulfill({ json: { ...sample, url: 'upload:clip.mp4',
        result: { ...result, platform_meta: { ...result.platform_meta, url: null, author: '', author_name: '' } } } }));
    await visitor.visit(`/reels/${sample.id}`);
    const post = page.getByRole('region', { name: 'Post', exact: true });
    await post.getByText('Caption').waitFor();
    assert.equal(await post.getByText('Author').count(), 0);
    visitor.assertClean();
});

test('a reel of another account is not found', async () => {
    const { visitor } = await open({ person });
    await visitor.visit('/reels/999999');
    await visitor.page.getByRole('heading', { name: 'There is no such reel' }).waitFor();
    visitor.assertClean('404 /dashboard/api/reels/999999');
});

test('an uploaded video is analysed again with its caption and author, unless the dialog is closed', async () => {
    const { result } = sample;
    const { visitor, page } = await open({ person });
    await page.route(`**/dashboard/api/reels/${sample.id}`, (route) => route.fulfill({ json: { ...sample, url: 'upload:clip.mp4',
        result: { ...result, platform_meta: { ...result.platform_meta, url: null, caption: 'Fresh pasta', author: 'a_cook' } } } }));
    const sent = [];
    await page.route('**/dashboard/api/reels/analyze', (route) => sent.push(route.request().postData()));
    await visitor.visit(`/reels/${sample.id}`);
    const dialog = page.getByRole('dialog', { name: 'Analyse again' });
    const submit = async (path) => {
        await page.getByRole('button', { name: 'Analyse again' }).click();
        const request = page.waitForRequest(`**/dashboard/api/reels/${path}`);
        await dialog.getByRole('button', { name: 'Analyse again' }).click();
        const ended = page.waitForEvent('requestfailed', (one) => one.url().endsWith(`/reels/${path}`));
        await request;
        return ended;
    };
    const cancel = () => dialog.getByRole('button', { name: 'Cancel' }).click();
    const sending = submit('analyze');
    await page.waitForRequest('**/dashboard/api/reels/analyze');
    await cancel();
    await sending;
    assert.match(sent[0], /name="caption"\s+Fresh pasta\s/);
    assert.match(sent[0], /name="author"\s+a_cook\s/);

    await page.route(`**/dashboard/api/reels/${sample.id}/video`, () => {}); // The video never arrives.
    const reading = submit(`${sample.id}/video`);
    await page.waitForRequest(`**/dashboard/api/reels/${sample.id}/video`);
    await cancel();
    await reading;
    assert.equal(sent.length, 1);
    assert.equal(new URL(page.url()).pathname, `/reels/${sample.id}`);
    visitor.assertClean();
});

test('copying without permission says so in words', async () => {
    const { visitor, page } = await open({ person });
    await page.addInitScript(() => {
        navigator.clipboard.writeText = async () => { throw new DOMException('Write permission denied.', 'NotAllowedError'); };
    });
    await visitor.visit(`/reels/${sample.id}`);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Copy link', exact: true }).click();
    await page.locator('.toast', { hasText: 'The browser does not allow copying.' }).waitFor();
    visitor.assertClean();
});
