// Submits links and videos.
import { change, upload } from '../core/api.js';
import { partsOf } from '../reel/links.js';
import { putReel } from './list.js';
import { sendParts } from './parts.js';

/** Submits a link with the members `options`; resolves to the known fields of the new reel. */
export async function submitLink(url, options = {}) {
    const { id, status } = await change('POST', '/reels/analyze', { url, queue: true, ...options });
    const reel = { id, url, status, created_at: new Date().toISOString(), options };
    putReel(reel);
    return reel;
}

/** Uploads a video; `link` is its post's, or empty. Resolves to the known fields of the new reel. */
export async function submitVideo(file, link, options, onProgress) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ queue: true, ...link && { url: link }, ...options })) {
        form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    form.append('video', file);
    const { id, status } = await upload('/reels/analyze', form, onProgress);
    const reel = { id, url: link || `upload:${file.name}`, status, created_at: new Date().toISOString() };
    putReel(reel);
    return reel;
}

/**
 * Submits many links. After each request, `note` receives all outcomes so far: `[{url, id}]` or `{url, error}`. Resolves to
 * `{left, failure}`: the links without an outcome, and the error of the first request that failed, or null.
 */
export async function submitLinks(links, options, note) {
    const answered = new Set();
    const outcomes = [];
    const send = (urls) => change('POST', '/reels/analyze', { urls, queue: true, ...options });
    const failure = await sendParts(partsOf(links, JSON.stringify(options).length), send, (pairs) => {
        for (const [link, outcome] of pairs) {
            answered.add(link);
            outcomes.push(outcome);
        }
        note([...outcomes]);
    });
    return { left: links.filter((link) => !answered.has(link)), failure };
}
