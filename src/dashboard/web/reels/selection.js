// Selected rows of the list, and actions on them.
import { change } from '../core/api.js';
import { createStore } from '../core/store.js';
import { listStore, putReel } from './list.js';
import { sendParts } from './parts.js';
import { submit } from './submissions.js';

const LINKS_OF_REQUEST = 50;

/** Ids of the selected reels; some may no longer be in the list. */
export const selectionStore = createStore(new Set());

/** Selects or deselects reels. */
export function select(ids, isSelected) {
    const selected = selectionStore.get();
    selectionStore.set(isSelected ? selected.union(new Set(ids)) : selected.difference(new Set(ids)));
}

/** The ids of the rows from the reel that was selected last to this one, both included. */
export function idsTo(id, ids = listStore.get().reels.map((reel) => reel.id)) {
    const last = [...selectionStore.get()].filter((one) => ids.includes(one)).at(-1);
    const [first, end] = [ids.indexOf(last), ids.indexOf(id)].sort((a, b) => a - b);
    return last === undefined || first < 0 ? [id] : ids.slice(first, end + 1);
}

export function clearSelection() {
    selectionStore.set(new Set());
}

/** Whether the reel has ended and has a link to submit again; uploaded files are not kept. */
export function canTryAgain(reel) {
    return (reel.status === 'done' || reel.status === 'error') && /^https?:/i.test(reel.url);
}

/** Reels in parts of one request each: with the same options, and few enough. */
function partsWithOptions(reels) {
    const groups = new Map();
    for (const reel of reels) {
        const key = JSON.stringify(reel.options ?? {});
        groups.set(key, [...groups.get(key) ?? [], reel]);
    }
    return [...groups.values()].flatMap((group) =>
        Array.from({ length: Math.ceil(group.length / LINKS_OF_REQUEST) },
            (_, number) => group.slice(number * LINKS_OF_REQUEST, (number + 1) * LINKS_OF_REQUEST)));
}

/**
 * Submits the links of reels again, with their options, and adds the new reels to the list. Resolves to `{accepted,
 * refusal, failure}`: the ids of the reels whose link was accepted, the error of the first rejected one, and that of the
 * first request that failed.
 */
export async function tryAgain(reels) {
    const accepted = [];
    let refusal = null;
    // With `queue`, links beyond the limit of unfinished reels wait; otherwise they are rejected.
    const send = (part) => submit({ urls: part.map((reel) => reel.url), fresh: true, queue: true, ...part[0].options });
    const failure = await sendParts(partsWithOptions(reels), send, (pairs) => {
        for (const [{ id: earlier, url, options }, { id, status, error }] of pairs) {
            if (id === undefined) {
                refusal ??= error;
            } else {
                accepted.push(earlier);
                putReel({ id, url, status, created_at: new Date().toISOString(), ...options && { options } });
            }
        }
    });
    return { accepted, refusal, failure };
}

/** Deletes all failed reels. Resolves to their count. */
export async function deleteFailed() {
    let all = 0;
    for (;;) { // Each request deletes up to a few thousand.
        const { deleted } = await change('DELETE', '/reels?status=error');
        if (deleted === 0) {
            return all;
        }
        all += deleted;
    }
}
