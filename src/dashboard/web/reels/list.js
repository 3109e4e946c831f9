// The list of reels: it lives longer than its page, so that coming back finds it as it was.
import { getPage } from '../core/api.js';
import { onLive } from '../core/live.js';
import { pathWithQuery } from '../core/routes.js';
import { createStore } from '../core/store.js';
import { announce } from '../ui/announcer.js';
import { announcementOf, withPage, withReel, withoutReel } from './merging.js';

const PAGE_REELS = 30;
const REFRESHED_REELS_MAX = 100; // What one request may ask for.

const NOTHING = {
    filter: null, reels: [], next: null, isLoading: false, isLoadingMore: false, error: null,
    moreError: null,
};

/**
 * `reels` are those loaded so far with `filter` {status, author}; `next` is set while there are more. `error`
 * is why the list could not be loaded, `moreError` why its next page could not.
 */
export const listStore = createStore(NOTHING);

let running = null;

function update(change) {
    listStore.set({ ...listStore.get(), ...change });
}

async function load(filter, limit, keeps) {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    update({ ...(keeps ? {} : NOTHING), filter, isLoading: true, isLoadingMore: false, error: null });
    try {
        const path = pathWithQuery('/reels', { limit, ...filter });
        const { items, next } = await getPage(path, controller.signal);
        if (running === controller) {
            update({ reels: items, next, isLoading: false, moreError: null });
        }
    } catch (error) {
        if (running === controller && error.name !== 'AbortError') {
            update({ isLoading: false, error });
        }
    }
}

/** Shows the list with a filter; nothing happens when it is shown already. */
export function showList(filter) {
    const now = listStore.get();
    const isShown = now.filter && now.filter.status === filter.status
        && now.filter.author === filter.author;
    if (!isShown || (now.error && !now.isLoading)) {
        load(filter, PAGE_REELS, false);
    }
}

/** Fetches the list anew, as much of it as was loaded, and shows the old one meanwhile. */
export function refreshList() {
    const { filter, reels } = listStore.get();
    if (filter) {
        load(filter, Math.min(REFRESHED_REELS_MAX, Math.max(PAGE_REELS, reels.length)), true);
    }
}

/** Fetches the next page, unless there is none or it is on its way. */
export async function loadMore() {
    const { next, isLoading, isLoadingMore } = listStore.get();
    if (!next || isLoading || isLoadingMore) {
        return;
    }
    const controller = running;
    update({ isLoadingMore: true, moreError: null });
    try {
        const page = await getPage(next, controller.signal);
        if (running === controller) {
            const reels = withPage(listStore.get().reels, page.items);
            update({ reels, next: page.next, isLoadingMore: false });
        }
    } catch (moreError) {
        if (running === controller && moreError.name !== 'AbortError') {
            update({ isLoadingMore: false, moreError });
        }
    }
}

/** Takes up a reel that is new or has changed. */
export function putReel(reel) {
    const { reels, filter, next } = listStore.get();
    if (filter) {
        update({ reels: withReel(reels, reel, filter, next !== null) });
    }
}

/** Forgets everything, as on signing out. */
export function forgetList() {
    running?.abort();
    running = null;
    listStore.set(NOTHING);
}

onLive('reel', (reel) => {
    const before = listStore.get().reels.find((one) => one.id === reel.id);
    const sentence = announcementOf(before, reel);
    if (sentence) {
        announce(sentence);
    }
    putReel(reel);
});
onLive('deleted', ({ id }) => update({ reels: withoutReel(listStore.get().reels, id) }));
onLive('reset', refreshList);
