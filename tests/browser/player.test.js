// The player of a kept video: real range requests, in step with the timeline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, SAMPLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();
const person = await invited(administrator, 'person@example.test');
const sample = await person.finished(SAMPLE);

const timeOf = async (page) => Number(await page.getByRole('slider', { name: 'Time in the reel' }).getAttribute('aria-valuenow'));
const videoTime = (page) => page.locator('video').evaluate((video) => video.currentTime);
const hasVideo = (page) => page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);

/** Waits until the video has arrived near a time. */
function arrived(page, seconds) {
    return page.waitForFunction((expected) => {
        const video = document.querySelector('video');
        return !video.seeking && video.readyState >= 2 && Math.abs(video.currentTime - expected) < 0.1;
    }, seconds);
}

for (const width of WIDTHS) {
    test(`the video seeks with range requests, in step with the lists, at ${width} px`, async () => {
        const segment = sample.result.audio.segments.at(-1);
        const { visitor, page } = await open({ person, width });
        const statuses = [];
        page.on('response', (response) => {
            if (response.url().endsWith(`/reels/${sample.id}/video`)) {
                statuses.push(response.status());
            }
        });
        await visitor.visit(`/reels/${sample.id}#t=${segment.start_seconds}`);
        await hasVideo(page);
        await arrived(page, segment.start_seconds);
        assert.equal(await timeOf(page), segment.start_seconds);

        await page.evaluate(() => scrollTo(0, 0));
        const { y: top } = await page.locator('video').boundingBox();
        assert.ok(top < (width < 600 ? 430 : 500), `the video begins at ${top} px`);
        await page.locator('.spans-speech .entry').first().click();
        await arrived(page, sample.result.audio.segments[0].start_seconds);
        await page.locator('.spans-speech [aria-current="true"]').filter({ hasText: sample.result.audio.segments[0].text }).waitFor();

        await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
        const shown = Math.floor(sample.result.audio.segments[0].start_seconds);
        await page.getByRole('button', { name: `Copy link at 0:0${shown}` }).click();
        await page.locator('.toast', { hasText: `Copied the link at 0:0${shown}.` }).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${daemon.origin}/reels/${sample.id}#t=${shown}`);

        // By the video's own controls.
        const late = sample.result.metadata.duration_seconds - 1;
        await page.locator('video').evaluate((video, seconds) => { video.currentTime = seconds; }, late);
        await arrived(page, late);
        await page.waitForFunction((expected) => Math.abs(Number(document.querySelector('[role="slider"]').ariaValueNow) - expected) <= 0.1, late);

        // The list shows the entry, without a scroll of the page.
        await page.waitForFunction(() => {
            const entry = document.querySelector('.spans-moment [aria-current="true"]');
            const list = entry?.closest('ol').getBoundingClientRect();
            const box = entry?.getBoundingClientRect();
            return entry && box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
        });

        assert.ok(statuses.length > 0 && statuses.every((status) => status === 206), `${statuses}`);
        await visitor.assertAccessible();
        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`the video plays and moves by keyboard, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        const isPaused = () => page.locator('video').evaluate((video) => video.paused);
        await visitor.visit(`/reels/${sample.id}`);
        await hasVideo(page);
        await page.locator('video').evaluate((video) => { video.muted = true; });

        await page.keyboard.press(' ');
        await page.waitForFunction(() => document.querySelector('video').currentTime > 0.5);
        await page.keyboard.press(' ');
        assert.ok(await isPaused());
        await page.waitForFunction(() => Math.abs(document.querySelector('video').currentTime
            - Number(document.querySelector('[role="slider"]').ariaValueNow)) <= 0.11);

        await page.locator('video').focus();
        const before = await videoTime(page);
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction((from) => Math.abs(document.querySelector('video').currentTime - from - 2) < 0.15, before);
        const [first] = sample.result.content.key_moments;
        await page.locator('.spans-moment .entry').first().click();
        await arrived(page, first.seconds);
        if (sample.result.content.key_moments.length > 1) {
            await page.keyboard.press('ArrowDown');
            await arrived(page, sample.result.content.key_moments[1].seconds);
            await page.keyboard.press('ArrowUp');
            await arrived(page, first.seconds);
        }
        await page.locator('video').focus();
        await page.keyboard.press(' ');
        await page.waitForFunction(() => !document.querySelector('video').paused);
        await page.keyboard.press(' ');
        await page.waitForFunction(() => document.querySelector('video').paused);

        // Letters that are typed are text.
        await page.getByLabel('Ask this reel').fill('');
        await page.getByLabel('Ask this reel').pressSequentially('jkl');
        assert.equal(await page.getByLabel('Ask this reel').inputValue(), 'jkl');
        assert.ok(await isPaused());
        if (width >= 600) { // Phones have no keyboard.
            await page.locator('.player').getByRole('button', { name: 'Keyboard shortcuts' }).click();
            await page.getByText('previous key moment').waitFor();
            await page.keyboard.press('Escape');
        }
        visitor.assertClean();
    });

    test(`the lists scroll with the page, and the current moment stays in view, at ${width} px`, async () => {
        const isPhone = width < 600;
        const { visitor, page } = await open({ person, width });
        if (!isPhone) {
            await page.setViewportSize({ width, height: 800 });
        }
        await visitor.visit(`/reels/${sample.id}`);
        await hasVideo(page);
        const lists = await page.locator('.spans ol').evaluateAll((all) => all.map((one) => one.scrollHeight - one.clientHeight));
        assert.deepEqual(lists, [0, 0, 0], 'no list scrolls in itself');
        const end = () => page.locator('.tracks').evaluate((tracks) => Math.round(tracks.getBoundingClientRect().bottom + scrollY));
        const before = await end();
        await page.locator('.spans-speech .entry').last().click();
        if (isPhone) {
            await page.locator('.player-stuck').waitFor();
            assert.equal(await end(), before, 'the lines stay where they are');
            const { height } = await page.locator('.player').boundingBox();
            assert.ok(height < page.viewportSize().height / 4, `the player has ${height} px`);
        } else {
            await page.waitForFunction(() => {
                const { top, bottom } = document.querySelector('.spans-moment [aria-current="true"]').getBoundingClientRect();
                const spoken = document.querySelector('.spans-speech [aria-current="true"]').getBoundingClientRect();
                return top >= 56 && bottom <= innerHeight && spoken.top >= 56 && spoken.bottom <= innerHeight;
            });
        }
        visitor.assertClean();
    });

    test(`key moments show their pictures, and nothing moves when they load, at ${width} px`, async () => {
        const framed = sample.result.content.key_moments.filter(({ frame }) => frame);
        assert.ok(framed.length > 0, 'the sample has frames');
        const { visitor, page } = await open({ person, width });
        let release;
        const held = new Promise((resolve) => { release = resolve; });
        await page.route('**/frames/*', async (route) => {
            await held;
            await route.continue();
        });
        await visitor.visit(`/reels/${sample.id}`);
        const entry = page.locator('.spans-moment .entry').first();
        await entry.scrollIntoViewIfNeeded();
        const before = await entry.boundingBox();
        release();
        await page.waitForFunction(() => document.querySelector('.frame img')?.naturalWidth > 0);
        const now = await entry.boundingBox();
        for (const side of Object.keys(before)) { // Positions are rounded to parts of a pixel.
            assert.ok(Math.abs(now[side] - before[side]) < 0.5, `${side}: ${before[side]}, then ${now[side]}`);
        }
        visitor.assertClean();
    });
}

test('a reel whose video is not kept shows the picture of each key moment', async () => {
    const { visitor, page } = await open({ person });
    const { video, ...bare } = sample;
    assert.ok(video);
    await page.route(`**/dashboard/api/reels/${sample.id}`, (route) => route.fulfill({ json: bare }));
    await visitor.visit(`/reels/${sample.id}`);
    const picture = page.locator('.player img');
    const moments = sample.result.content.key_moments.filter(({ frame }) => frame);
    for (const moment of [moments[0], moments.at(-1)]) {
        await page.locator('.spans-moment .entry', { hasText: moment.description }).first().click();
        await page.waitForFunction((path) => document.querySelector('.player img').src.endsWith(path),
            moment.frame.replace('/api/v1/', '/dashboard/api/'));
    }
    await page.waitForFunction(() => document.querySelector('.player img').naturalWidth > 0);
    assert.equal(await picture.getAttribute('alt'), `Picture of: ${moments.at(-1).description}`);
    assert.equal(await page.locator('video, .reel-head img').count(), 0);
    await page.locator('.player').getByText('This server does not keep the video.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Keep videos' }).count(), 0, 'only administrators can');
    visitor.assertClean();
});

test('a video that is no longer kept says so, and has no keys', async () => {
    const { visitor, page } = await open({ person });
    await page.route('**/video', (route) => route.fulfill({
        status: 404, headers: { 'X-Error-Code': 'video_not_kept' }, json: { message: 'not found', status: 'error' } }));
    await visitor.visit(`/reels/${sample.id}`);
    await page.getByRole('alert').getByText('The server no longer keeps this video.').waitFor();
    assert.equal(await page.locator('.player-keys').count(), 0);
    assert.deepEqual(visitor.strangers, []);
});
