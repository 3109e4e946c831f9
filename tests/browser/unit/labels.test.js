import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, draftOf, draftProblems } from '../../../src/dashboard/web/admin/changes.js';
import { completeLink, platformLink } from '../../../src/dashboard/web/reel/links.js';
import { retryWait, uploadOffer } from '../../../src/dashboard/web/reel/retry.js';
import { fieldWords, queueWords, stepWords } from '../../../src/dashboard/web/reels/labels.js';

const ACCOUNT = {
    is_admin: false, submissions_per_minute: 20, concurrent_jobs: null, requests_per_minute: null,
    monthly_budget_usd: 2.5,
};

test('a failed reel can be tried again when its time has come, counted from its end', () => {
    const reel = { url: 'https://www.instagram.com/reel/abc/', retryable: true,
        finished_at: '2026-05-22T10:00:00Z', retry_after_seconds: 900, error_code: 'rate_limited' };
    const end = Date.parse(reel.finished_at);
    assert.equal(retryWait(reel, end), 900);
    assert.equal(retryWait(reel, end + 899_001), 1);
    assert.equal(retryWait(reel, end + 900_000), 0);
    assert.equal(retryWait({ ...reel, retry_after_seconds: undefined }, end), 0);
    assert.equal(retryWait({ ...reel, retryable: false }, end), null);
    assert.equal(retryWait({ ...reel, url: 'upload:clip.mp4' }, end), null);
});

test('an upload is offered where the platform is the cause or the video too long, and keeps the link', () => {
    const url = 'https://www.instagram.com/reel/abc/?a=1&b=2';
    for (const code of ['rate_limited', 'download_failed', 'unavailable', 'video_too_long']) {
        const { path } = uploadOffer({ url, error_code: code });
        assert.equal(new URL(path, 'http://x.test').searchParams.get('upload'), url);
    }
    for (const code of ['model_failed', 'storage_error', 'invented_later']) {
        assert.equal(uploadOffer({ url, error_code: code }), null);
    }
    assert.equal(uploadOffer({ url: 'upload:clip.mp4', error_code: 'download_failed' }), null);
    assert.equal(uploadOffer({ url: 'upload:clip.mp4', error_code: 'video_too_long' }).path, '/?upload=');
});

test('fields and steps have labels', () => {
    assert.equal(fieldWords('audio.transcript'), 'Speech');
    assert.equal(fieldWords('content.something_new'), 'something new');
    assert.equal(stepWords('download'), 'Downloading the video');
    assert.equal(stepWords(undefined), '');
});

test('links get a missing scheme', () => {
    assert.equal(completeLink(' www.instagram.com/reel/abc/ '), 'https://www.instagram.com/reel/abc/');
    assert.equal(completeLink('Instagram.com/p/abc'), 'https://Instagram.com/p/abc');
    assert.equal(completeLink('m.instagram.com/p/abc'), 'https://m.instagram.com/p/abc');
    for (const link of ['https://www.instagram.com/reel/abc/', 'http://instagram.com/p/abc',
        'instagram.com.evil.test/p/abc', 'tiktok.com/@a/video/1', 'instagram.com', '']) {
        assert.equal(completeLink(link), link);
    }
});

test('only links to the platform are allowed', () => {
    assert.equal(platformLink('https://www.instagram.com/reel/abc/'), 'https://www.instagram.com/reel/abc/');
    for (const url of ['javascript:alert(1)', 'http://www.instagram.com/reel/abc/', 'no link', undefined,
        'https://instagram.com.evil.test/', 'https://evilinstagram.com/', 'data:text/html,x']) {
        assert.equal(platformLink(url), null, String(url));
    }
});

test('an account that was not edited changes nothing', () => {
    assert.deepEqual(changesOf(ACCOUNT, draftOf(ACCOUNT)), {});
});

test('changed fields are sent, and an emptied field resets to the default', () => {
    const draft = { ...draftOf(ACCOUNT), submissions_per_minute: '', concurrent_jobs: ' 7 ', is_admin: true,
        monthly_budget_usd: '0' };
    assert.deepEqual(draftProblems(draft), {});
    assert.deepEqual(changesOf(ACCOUNT, draft), {
        submissions_per_minute: null, concurrent_jobs: 7, monthly_budget_usd: 0, is_admin: true,
    });
});

test('invalid numbers are reported by field', () => {
    const draft = { ...draftOf(ACCOUNT), requests_per_minute: '1.5', concurrent_jobs: '0',
        monthly_budget_usd: '-1' };
    assert.deepEqual(Object.keys(draftProblems(draft)).sort(),
        ['concurrent_jobs', 'monthly_budget_usd', 'requests_per_minute']);
});

test('a waiting reel has a queue position', () => {
    const now = Date.parse('2026-05-22T10:00:00Z');
    const reel = { status: 'pending', queue_position: 4, expected_start_at: '2026-05-22T10:02:00Z' };
    assert.equal(queueWords(reel, now), 'Position 4 in your queue, starts in about 2 min');
    assert.equal(queueWords({ ...reel, expected_start_at: '2026-05-22T09:59:00Z' }, now), 'Position 4 in your queue, starts soon');
    assert.equal(queueWords({ ...reel, expected_start_at: null }, now), 'Position 4 in your queue');
    assert.equal(queueWords({ status: 'pending' }, now), '');
    assert.equal(queueWords({ ...reel, status: 'processing' }, now), '');
});
