// Ranges of days in UTC, like the daemon's. No DOM, so that Node can test this file.

const DAY_MILLISECONDS = 86_400_000;

/** The picker's options, as `[name, label]`. */
export const RANGES = [
    ['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['month', 'This month'],
    ['custom', 'Custom'],
];

/** The day of a time (milliseconds) as `YYYY-MM-DD`. */
export function dayOf(milliseconds) {
    return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The first and last day, `{from, to}`, of a picker option at `now` (milliseconds). */
export function rangeDays(name, now) {
    const to = dayOf(now);
    if (name === 'month') {
        return { from: `${to.slice(0, 7)}-01`, to };
    }
    return { from: dayOf(now - (Number(name) - 1) * DAY_MILLISECONDS), to };
}

/** All days from `from` to `to`, inclusive; empty for invalid or reversed dates. */
export function daysBetween(from, to) {
    const first = Date.parse(`${from}T00:00:00Z`);
    const last = Date.parse(`${to}T00:00:00Z`);
    const days = [];
    for (let day = first; day <= last; day += DAY_MILLISECONDS) {
        days.push(dayOf(day));
    }
    return days;
}

/** The validation error of a custom range, or null. */
export function rangeProblem(from, to) {
    if (!/^\d{4}-\d\d-\d\d$/.test(from) || !/^\d{4}-\d\d-\d\d$/.test(to)) {
        return 'Choose a first and a last day.';
    }
    if (from > to) {
        return 'The first day must not be after the last one.';
    }
    return daysBetween(from, to).length > 731 ? 'Choose at most two years.' : null;
}
