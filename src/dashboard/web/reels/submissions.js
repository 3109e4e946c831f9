// Submits links and videos. A submission that is tried again because no response arrived has the same Idempotency-Key: it may
// have been accepted, and must not be analysed, and paid, twice.
import { change, upload } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { partsOf } from '../reel/links.js';
import { putReel } from './list.js';
import { sendFiles, sendParts } from './parts.js';

const keys = new Map(); // Of the submissions without a definite response, by their content.

function randomKey() {
    return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Sends a submission with `send(key)`. */
async function sendOnce(content, send) {
    const key = keys.get(content) ?? randomKey();
    keys.set(content, key);
    try {
        const answer = await send(key);
        keys.delete(content);
        return answer;
    } catch (why) {
        if (why.status >= 400 && why.status < 500) {
            keys.delete(content);
        }
        throw why;
    }
}

let leaving = new AbortController(); // Aborts all submissions on sign-out.

/**
 * Submits a body with one link or with `urls`; resolves to the response's JSON. Rejects with AbortError when `signal` aborts
 * it, by default on sign-out.
 */
export function submit(body, signal = leaving.signal) {
    return sendOnce(JSON.stringify(body),
        (idempotencyKey) => change('POST', '/reels/analyze', body, { idempotencyKey, signal }));
}

/** Submits a link with the members `options`; resolves to the known fields of the new reel. */
export async function submitLink(url, options = {}, signal = undefined) {
    const { id, status } = await submit({ url, queue: true, ...options }, signal);
    const reel = { id, url, status, created_at: new Date().toISOString(), options };
    putReel(reel);
    return reel;
}

/**
 * Uploads a video; `link` is its post's, or empty. Resolves to the known fields of the new reel. Rejects with AbortError
 * when `signal` aborts it, and on sign-out.
 */
export async function submitVideo(file, link, options, onProgress, signal = leaving.signal) {
    const either = AbortSignal.any([signal, leaving.signal]);
    const form = new FormData();
    for (const [name, value] of Object.entries({ queue: true, ...link && { url: link }, ...options })) {
        form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    form.append('video', file);
    const content = JSON.stringify([file.name, file.size, file.lastModified, link, options]);
    const { id, status } = await sendOnce(content, (key) => upload('/reels/analyze', form, key, onProgress, either));
    const reel = { id, url: link || `upload:${file.name}`, status, created_at: new Date().toISOString() };
    putReel(reel);
    return reel;
}

/**
 * Uploads videos, one after another; `note(name, share)` reports the progress. `link` is the post's of the only one, or
 * empty. Resolves to the outcomes and the error as sendFiles().
 */
export function submitVideos(files, link, options, note) {
    return sendFiles(files, (file) => {
        note(file.name, 0);
        return submitVideo(file, link, options, (share) => note(file.name, share));
    });
}

/**
 * Submits many links. After each request, `note` receives all outcomes so far: `[{url, id}]` or `{url, error}`. Resolves to
 * `{left, failure}`: the links without an outcome, and the error of the first request that failed, or null.
 */
export async function submitLinks(links, options, note) {
    const answered = new Set();
    const outcomes = [];
    const send = (urls) => submit({ urls, queue: true, ...options });
    const failure = await sendParts(partsOf(links, JSON.stringify(options).length), send, (pairs) => {
        for (const [link, outcome] of pairs) {
            answered.add(link);
            outcomes.push(outcome);
        }
        note([...outcomes]);
    });
    return { left: links.filter((link) => !answered.has(link)), failure };
}

sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        leaving.abort();
        leaving = new AbortController();
    }
});
