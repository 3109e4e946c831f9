// Choices of the filter by date. No DOM, so that Node can test this file.
import { dayOf } from '../usage/ranges.js';

/** As `[name, label]`; those with digits are of as many days. */
export const DATE_CHOICES = [
    ['', 'Any date'], ['1', 'Today'], ['7', 'Last 7 days'], ['30', 'Last 30 days'], ['90', 'Last 90 days'], ['custom', 'Dates…'],
];

/**
 * The first and last day, `{from, to}`, of a choice at `now` (milliseconds). The last one is open. Days are in UTC; the first
 * one is that in which the local day begins, so that no reel of either day is missing.
 */
export function daysOfChoice(name, now) {
    if (name === '') {
        return { from: '', to: '' };
    }
    const start = new Date(now);
    start.setHours(0, 0, 0, 0);
    start.setDate(start.getDate() + 1 - Number(name));
    return { from: dayOf(start.getTime()), to: '' };
}

/** The name of the choice that has these days at `now`. */
export function nameOfDays(from, to, now) {
    const known = DATE_CHOICES.find(([name]) => name !== 'custom' && daysOfChoice(name, now).from === from);
    return known && to === '' ? known[0] : 'custom';
}

/** The changed days when the first one becomes `day`: a last one before it is removed. */
export function daysWithFrom(day, to) {
    return day && to && day > to ? { from: day, to: '' } : { from: day };
}

/** The changed days when the last one becomes `day`: a first one after it is removed. */
export function daysWithTo(day, from) {
    return day && from && day < from ? { from: '', to: day } : { to: day };
}

/** The first day that can be chosen; in a year before it, digits are missing. */
export const FIRST_DAY = '2000-01-01';

/**
 * Whether a filter by these days applies at once. A day that is being typed passes through others, such as 0002-05-22 and
 * 2026-01-22; if such a day would remove the other one, it waits until its field is left.
 */
export function appliesAtOnce(from, to) {
    return [from, to].every((day) => day === '' || day >= FIRST_DAY) && (from === '' || to === '' || from <= to);
}
