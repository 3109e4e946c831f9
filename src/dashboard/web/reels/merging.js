// How a list of reels takes up pages and live events. No DOM here: Node tests this file.

/** Whether a list with this filter, `{status, author}`, shows the reel. An empty filter shows all. */
export function fitsFilter(reel, filter) {
    return (!filter.status || reel.status === filter.status)
        && (!filter.author || reel.author?.toLowerCase() === filter.author.toLowerCase());
}

/**
 * Identifies the post of a reel as the server does: its code, or until that is known the code in its link, and
 * the slide. Null when neither is known.
 */
export function postOf(reel) {
    const link = /^[^:/]+:\/\/[^/?#]+\/(?:[^?#]*\/)?(?:reels?|p|tv|share)\/([\w-]{5,48})/.exec(reel.url);
    const code = reel.code || link?.[1];
    const slide = /[?&]img_index=(\d{1,3})/.exec(reel.url)?.[1];
    return code ? code + (slide ? `#${slide}` : '') : null;
}

/** The list with a page below it; a reel that stands in both is taken from the page. */
export function withPage(reels, page) {
    const ids = new Set(page.map((reel) => reel.id));
    return [...reels.filter((reel) => !ids.has(reel.id)), ...page];
}

/**
 * The list, and what brings its next page, after its newest reels were fetched again as `{items, next}`. Older
 * ones than these stay as they are, so that a reader who has come far down loses nothing; except those of a post
 * that has a newer one now.
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
 * The list, newest first, after a reel is new or has changed. It takes the place of older reels of its post, and
 * counts them as `earlier`; an older one than the list shows is left out. A new one below the last is left out
 * while there are more pages (`hasMore`): its page will bring it. The same list when nothing changes.
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
    const said = { done: 'is done', error: 'has failed', processing: 'is running' };
    return said[after.status] ? `${what} ${said[after.status]}.` : null;
}
