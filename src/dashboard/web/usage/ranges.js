// Spans of days, in UTC as the daemon counts. No DOM here: Node tests this file.

const DAY_MILLISECONDS = 86_400_000;

/** What the picker offers, as `[name, words]`. */
export const RANGES = [
    ['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['month', 'This month'],
    ['custom', 'Custom'],
];

/** The day of a moment (milliseconds) as `YYYY-MM-DD`. */
export function dayOf(milliseconds) {
    return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The first and last day, `{from, to}`, of a range of the picker, seen from `now` (milliseconds). */
export function rangeDays(name, now) {
    const to = dayOf(now);
    if (name === 'month') {
        return { from: `${to.slice(0, 7)}-01`, to };
    }
    return { from: dayOf(now - (Number(name) - 1) * DAY_MILLISECONDS), to };
}

/** All days from `from` to `to`, both included; none when they are no days or the wrong way round. */
export function daysBetween(from, to) {
    const first = Date.parse(`${from}T00:00:00Z`);
    const last = Date.parse(`${to}T00:00:00Z`);
    const days = [];
    for (let day = first; day <= last; day += DAY_MILLISECONDS) {
        days.push(dayOf(day));
    }
    return days;
}

/** What is wrong with a custom range, in words, or null. */
export function rangeProblem(from, to) {
    if (!/^\d{4}-\d\d-\d\d$/.test(from) || !/^\d{4}-\d\d-\d\d$/.test(to)) {
        return 'Choose a first and a last day.';
    }
    if (from > to) {
        return 'The first day must not be after the last one.';
    }
    return daysBetween(from, to).length > 731 ? 'Choose at most two years.' : null;
}
