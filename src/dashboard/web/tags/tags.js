// Tags of reels: their requests, and their form.
import { change, get } from '../core/api.js';
import { listStore, putReel } from '../reels/list.js';

export const TAGS_MAX = 20; // Of one reel.
export const TAG_LENGTH_MAX = 40;
const IDS_MAX = 100; // Of one request.

/** A tag as the server stores it. */
export function storedTag(text) {
    return text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The tags in a text, separated by commas. */
export function tagsIn(text) {
    const tags = text.split(',').map(storedTag).filter(Boolean);
    return [...new Set(tags)].sort();
}

/** Resolves to the tags of the account, the most frequent first: `{tag, reels}`. */
export function readTags(signal) {
    return get('/reels/tags', signal);
}

/** Shows the changed tags in the list. */
function show(ids, tagsOf) {
    const changed = listStore.get().reels.filter(({ id }) => ids.includes(id));
    changed.forEach((reel) => putReel({ ...reel, tags: tagsOf(reel.tags ?? []) }));
}

/** Resolves to the tags of a reel, and shows them in the list. */
export async function readTagsOf(id, signal) {
    const { tags } = await get(`/reels/${id}/tags`, signal);
    show([id], () => tags);
    return tags;
}

/** Adds tags to reels and removes others. */
export async function changeTags(ids, add, remove) {
    for (let start = 0; start < ids.length; start += IDS_MAX) {
        const part = ids.slice(start, start + IDS_MAX);
        await change('POST', '/reels/tags', { ids: part, add, remove });
        show(part, (before) => [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])].sort());
    }
}
