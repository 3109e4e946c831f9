// Merges the newest deliveries into those that are shown. No DOM, so that Node can test this file.

/**
 * Returns the deliveries and their next-page cursor after the newest ones were fetched again as `{items, next}`. Older
 * ones stay: a reel may have several deliveries, and a webhook's address identifies none of them.
 */
export function withNewest(deliveries, next, page) {
    const oldest = page.items.at(-1)?.id;
    const older = page.next === null ? [] : deliveries.filter(({ id }) => id < oldest);
    return { deliveries: [...page.items, ...older], next: older.length > 0 ? next : page.next };
}
