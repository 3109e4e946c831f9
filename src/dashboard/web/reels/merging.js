// How a list of reels takes up pages and live events. No DOM here: Node tests this file.

/** Whether a list with this filter, `{status, author}`, shows the reel. An empty filter shows all. */
export function fitsFilter(reel, filter) {
    return (!filter.status || reel.status === filter.status)
        && (!filter.author || reel.author?.toLowerCase() === filter.author.toLowerCase());
}

/** The list with a page below it; a reel that stands in both is taken from the page. */
export function withPage(reels, page) {
    const ids = new Set(page.map((reel) => reel.id));
    return [...reels.filter((reel) => !ids.has(reel.id)), ...page];
}

/**
 * The list, and what brings its next page, after its newest reels were fetched again as `{items, next}`. Older
 * ones than these stay as they are, so that a reader who has come far down loses nothing.
 */
export function withTop(reels, next, page) {
    const oldest = page.items.at(-1)?.id;
    const older = page.next === null ? [] : reels.filter((reel) => reel.id < oldest);
    return { reels: [...page.items, ...older], next: older.length > 0 ? next : page.next };
}

/**
 * The list, newest first, after a reel is new or has changed. A new one below the last is left out while
 * there are more pages (`hasMore`): its page will bring it. The same list when nothing changes.
 */
export function withReel(reels, reel, filter, hasMore) {
    const index = reels.findIndex((one) => one.id === reel.id);
    if (!fitsFilter(reel, filter)) {
        return index < 0 ? reels : reels.filter((one) => one.id !== reel.id);
    }
    if (index >= 0) {
        return reels.map((one) => one.id === reel.id ? reel : one);
    }
    const place = reels.findIndex((one) => one.id < reel.id);
    if (place < 0) {
        return hasMore ? reels : [...reels, reel];
    }
    return [...reels.slice(0, place), reel, ...reels.slice(place)];
}

/** The list without a reel; the same list when it was not there. */
export function withoutReel(reels, id) {
    const left = reels.filter((one) => one.id !== id);
    return left.length === reels.length ? reels : left;
}

/** What to tell somebody who cannot see the list, after `before` became `after`; null for nothing. */
export function announcementOf(before, after) {
    if (!before || before.status === after.status) {
        return null;
    }
    const what = after.author ? `Reel by ${after.author}` : `Reel ${after.id}`;
    const said = { done: 'is done', error: 'has failed', processing: 'is being worked on' };
    return said[after.status] ? `${what} ${said[after.status]}.` : null;
}
