// Merges pages and live events into a list of reels. No DOM, so that Node can test this file.

/** Whether a list with this filter, `{status, author, tag, from, to}`, shows the reel. An empty filter shows all. */
export function fitsFilter(reel, filter) {
    const day = reel.created_at?.slice(0, 10); // In UTC, as in the filter.
    return (!filter.status || reel.status === filter.status)
        && (!filter.author || reel.author?.toLowerCase() === filter.author.toLowerCase())
        && (!filter.tag || (reel.tags?.includes(filter.tag) ?? false))
        && (!filter.from || day >= filter.from) && (!filter.to || day <= filter.to);
}

/**
 * Identifies the post of a reel as the server does: by its code, or until that is known by the code in its link,
 * and by the slide. Null when neither is known.
 */
export function postOf(reel) {
    const link = /^[^:/]+:\/\/[^/?#]+\/(?:[^?#]*\/)?(?:reels?|p|tv|share)\/([\w-]{5,48})/.exec(reel.url);
    const code = reel.code || link?.[1];
    const slide = /[?&]img_index=(\d{1,3})/.exec(reel.url)?.[1];
    return code ? code + (slide ? `#${slide}` : '') : null;
}

/** Appends a page to the list; for a reel in both, the page's version is used. */
export function withPage(reels, page) {
    const ids = new Set(page.map((reel) => reel.id));
    return [...reels.filter((reel) => !ids.has(reel.id)), ...page];
}

/**
 * Returns the list and its next-page cursor after the newest reels were fetched again as `{items, next}`. Older
 * reels stay, so that the scroll position is kept, except those of a post that now has a newer reel.
 */
export function withTop(reels, next, page) {
    const oldest = page.items.at(-1)?.id;
    const posts = new Set(page.items.map(postOf));
    posts.delete(null);
    const older = page.next === null ? []
        : reels.filter((reel) => reel.id < oldest && !posts.has(postOf(reel)));
    return { reels: [...page.items, ...older], next: older.length > 0 ? next : page.next };
}

/**
 * Returns the list, newest first, after a reel was added or changed. The reel replaces older reels of its post and
 * counts them as `earlier`; it is ignored if the list shows a newer one of that post. A new reel below the last one
 * is also ignored while there are more pages (`hasMore`), since its page will contain it. Returns the same array
 * if nothing changes.
 */
export function withReel(reels, reel, filter, hasMore) {
    const post = postOf(reel);
    const samePost = (one) => one.id !== reel.id && post !== null && postOf(one) === post;
    const known = reels.find((one) => one.id === reel.id);
    const siblings = reels.filter(samePost);
    if (siblings.some((one) => one.id > reel.id)) {
        return withoutReel(reels, reel.id);
    }
    const others = siblings.length === 0 ? reels : reels.filter((one) => !samePost(one));
    if (!fitsFilter(reel, filter)) {
        return withoutReel(others, reel.id);
    }
    const earlier = siblings.reduce(
        (count, one) => count + 1 + (one.earlier ?? 0), reel.earlier ?? known?.earlier ?? 0);
    const shown = { ...reel, earlier };
    if (known) {
        return others.map((one) => one.id === reel.id ? shown : one);
    }
    const place = others.findIndex((one) => one.id < reel.id);
    if (place < 0) {
        return hasMore && siblings.length === 0 ? others : [...others, shown];
    }
    return [...others.slice(0, place), shown, ...others.slice(place)];
}

/**
 * Whether the number of earlier analyses is unknown after `reel` was inserted into the list `before`, which became `after`:
 * neither the reel has it, nor was an earlier one of its post shown.
 */
export function lacksEarlier(before, after, reel) {
    const isReel = ({ id }) => id === reel.id;
    return reel.earlier === undefined && !before.some(isReel) && after.find(isReel)?.earlier === 0;
}

/** Returns the list without a reel; the same array if it is not in the list. */
export function withoutReel(reels, id) {
    const left = reels.filter((one) => one.id !== id);
    return left.length === reels.length ? reels : left;
}

/**
 * Returns the list `{reels, next}` after the changes that arrived while its page was fetched, which may be older than they
 * are: `{id, reel}` of each, without `reel` if it was deleted.
 */
export function withChanges({ reels, next }, changes, filter) {
    const last = new Map(changes.map((change) => [change.id, change])); // One before it may not fit the filter.
    const changed = [...last.values()].reduce((now, { id, reel }) =>
        reel ? withReel(now, reel, filter, next !== null) : withoutReel(now, id), reels);
    return { reels: changed, next };
}

/** The announcement for screen readers when `before` becomes `after`, or null. */
export function announcementOf(before, after) {
    if (!before || before.status === after.status) {
        return null;
    }
    const what = after.author ? `Reel by ${after.author}` : `Reel ${after.id}`;
    const outcomes = { done: 'is done', error: 'has failed', processing: 'is running' };
    return outcomes[after.status] ? `${what} ${outcomes[after.status]}.` : null;
}
