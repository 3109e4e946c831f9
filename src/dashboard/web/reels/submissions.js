// Submits links and videos.
import { change, upload } from '../core/api.js';
import { partsOf } from '../reel/links.js';
import { putReel } from './list.js';

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

/** Submits many links. After each request, `note` receives all outcomes so far: `[{url, id}]` or `{url, error}`. */
export async function submitLinks(links, options, note) {
    let outcomes = [];
    for (const urls of partsOf(links, JSON.stringify(options).length)) {
        const answers = await change('POST', '/reels/analyze', { urls, queue: true, ...options });
        outcomes = [...outcomes, ...answers];
        note(outcomes);
    }
}
