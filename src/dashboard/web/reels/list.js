// The list of reels, one per post. It outlives its page, so that a return finds it unchanged.
import { get, getPage } from '../core/api.js';
import { onLive } from '../core/live.js';
import { pathWithQuery } from '../core/routes.js';
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';
import { announce } from '../ui/announcer.js';
import { hiddenStore } from './deletions.js';
import { announcementOf, lacksEarlier, withChanges, withPage, withReel, withTop, withoutReel } from './merging.js';

const PAGE_REELS = 30;
const REFRESHED_REELS_MAX = 100; // Upper bound of one request.
const PAGES_MAX = 10; // To refresh after an interruption; further ones are loaded on scrolling.

const COUNT_MILLISECONDS = 500; // Events of many reels arrive together.

const EVERY = { status: '', author: '', tag: '', from: '', to: '' };
const NOTHING = {
    filter: null, reels: [], next: null, isLoaded: false, isLoading: false, isLoadingMore: false, error: null,
    moreError: null,
};

/**
 * `reels` are loaded so far with `filter` {status, author, tag, from, to}; `next` is set while there are more. Before
 * `isLoaded`, they are only those of events. `error` is the failure to load the list, `moreError` that to load its next page.
 */
export const listStore = createStore(NOTHING);

let running = null;
let changes = []; // That arrived since the page that is being fetched was requested.
let countTimer = 0;
let isOutdated = false; // All pages may be: the stream of events was interrupted.

function update(change) {
    listStore.set({ ...listStore.get(), ...change });
}

/** Replaces the list by the fetched one. */
const replace = ({ items, next }) => ({ reels: items, next });

/** Fetches the newest reels, or all down to the id `last`, but not more than PAGES_MAX pages. */
async function fetchReels(path, last, signal) {
    let { items, next } = await getPage(path, signal);
    for (let pages = 1; next && items.at(-1)?.id > last && pages < PAGES_MAX; pages += 1) {
        const page = await getPage(next, signal);
        items = withPage(items, page.items);
        next = page.next;
    }
    return { items, next };
}

async function load(filter, limit, adopt, last = Infinity) {
    running?.abort();
    changes = [];
    const controller = new AbortController();
    running = controller;
    update({ filter, isLoading: true, isLoadingMore: false, error: null });
    try {
        const path = pathWithQuery('/reels', { limit, ...filter, latest: true, details: true });
        const page = await fetchReels(path, last, controller.signal);
        if (running === controller) {
            isOutdated = false;
            update({ ...withChanges(adopt(page), changes, filter), isLoaded: true, isLoading: false, moreError: null });
        }
    } catch (error) {
        if (running === controller && error.name !== 'AbortError') {
            update({ isLoading: false, error });
        }
    }
}

/** Shows the list with a filter, unless it is already shown. */
export function showList(filter) {
    const now = listStore.get();
    const isShown = now.filter && Object.keys(filter).every((name) => now.filter[name] === filter[name]);
    if (!isShown || (now.error && !now.isLoading)) {
        listStore.set(NOTHING);
        load(filter, PAGE_REELS, replace);
    }
}

/** Fetches the newest reels again and replaces their shown versions; after an interruption, all. */
export function refreshList() {
    const { filter, reels } = listStore.get();
    const limit = Math.min(REFRESHED_REELS_MAX, Math.max(PAGE_REELS, reels.length));
    if (filter && isOutdated) {
        load(filter, limit, replace, reels.at(-1)?.id);
    } else if (filter) {
        load(filter, limit, (page) => {
            const now = listStore.get();
            return withTop(now.reels, now.next, page);
        });
    }
}

/** Fetches the next page, unless there is none or it is being fetched. */
export async function loadMore() {
    const { next, isLoading, isLoadingMore } = listStore.get();
    if (!next || isLoading || isLoadingMore) {
        return;
    }
    const controller = running;
    changes = [];
    update({ isLoadingMore: true, moreError: null });
    try {
        const page = await getPage(next, controller.signal);
        if (running === controller) {
            const { reels, filter } = listStore.get();
            const longer = { reels: withPage(reels, page.items), next: page.next };
            update({ ...withChanges(longer, changes, filter), isLoadingMore: false });
        }
    } catch (moreError) {
        if (running === controller && moreError.name !== 'AbortError') {
            update({ isLoadingMore: false, moreError });
        }
    }
}

/** Resolves once no page is being fetched. */
function settled() {
    return new Promise((resolve) => {
        const check = () => {
            const { isLoading, isLoadingMore } = listStore.get();
            if (!isLoading && !isLoadingMore) {
                unsubscribe();
                resolve();
            }
        };
        const unsubscribe = listStore.subscribe(check);
        check();
    });
}

/**
 * Resolves to the id of the reel after `id` in the list, or before it with a `step` of -1; null if there is none, or if the
 * list cannot be loaded. Fetches pages until they contain the place of the reel, which is also defined if the list does not
 * show it.
 */
export async function neighbourOf(id, step) {
    if (!listStore.get().filter) {
        load(EVERY, PAGE_REELS, replace);
    }
    for (;;) {
        await settled();
        const { reels, next, isLoaded, moreError } = listStore.get();
        if (!isLoaded) {
            return null;
        }
        const shown = reels.filter((reel) => !hiddenStore.get().has(reel.id)).map((reel) => reel.id);
        const older = shown.find((other) => other < id);
        const isReached = older !== undefined || (step < 0 && shown.includes(id));
        if (isReached || !next || moreError) {
            return (step > 0 ? older : shown.findLast((other) => other > id)) ?? null;
        }
        await loadMore();
    }
}

/** Resolves to the newest reel of each of the newest posts, whatever the list shows. */
export function readNewest(signal) {
    return get(pathWithQuery('/reels', { limit: REFRESHED_REELS_MAX, latest: true }), signal);
}

function refreshSoon() {
    clearTimeout(countTimer);
    countTimer = setTimeout(refreshList, COUNT_MILLISECONDS);
}

/** Inserts or updates a reel. Refreshes the list if only the server knows the number of earlier analyses. */
export function putReel(reel) {
    const { reels, filter, next, isLoading, isLoadingMore } = listStore.get();
    if (filter) {
        const changed = withReel(reels, reel, filter, next !== null);
        update({ reels: changed });
        if (lacksEarlier(reels, changed, reel)) {
            refreshSoon();
        }
    }
    if (isLoading || isLoadingMore) {
        changes.push({ id: reel.id, reel });
    }
}

// The next user of this browser must not see it.
sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        running?.abort();
        clearTimeout(countTimer);
        running = null;
        listStore.set(NOTHING);
    }
});

onLive('reel', (reel) => {
    const before = listStore.get().reels.find((one) => one.id === reel.id);
    const sentence = announcementOf(before, reel);
    if (sentence) {
        announce(sentence);
    }
    putReel(reel);
});
onLive('deleted', ({ id }) => {
    const { reels } = listStore.get();
    const deleted = reels.find((one) => one.id === id);
    update({ reels: withoutReel(reels, id) });
    changes.push({ id });
    if (deleted?.earlier > 0) {
        refreshList(); // The newest remaining reel of the post replaces it.
    } else if (!deleted && reels.some((one) => one.id > id && one.earlier > 0)) {
        refreshSoon(); // It may be an earlier analysis of one of them.
    }
});
onLive('reset', () => {
    isOutdated = true;
    refreshList();
});
onLive('reached', () => {
    if (listStore.get().error) {
        refreshList();
    }
});
