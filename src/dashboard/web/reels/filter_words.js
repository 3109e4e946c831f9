// What a filter of the list selects, as words. No DOM, so that Node can test this file.
import { formatDay } from '../text/times.js';

const STATUS_ADJECTIVES = { pending: 'waiting', processing: 'running', done: 'finished', error: 'failed' };

function daysWords(from, to) {
    if (from && to) {
        return from === to ? `submitted on ${formatDay(from)}` : `submitted from ${formatDay(from)} to ${formatDay(to)}`;
    }
    return from ? `submitted since ${formatDay(from)}` : to ? `submitted until ${formatDay(to)}` : '';
}

/** What a filter selects: `finished reels by nonna.kitchen with the tag pasta`. */
export function filterWords({ status, author, tag, from, to }) {
    return [STATUS_ADJECTIVES[status], 'reels', author && `by ${author}`, tag && `with the tag ${tag}`, daysWords(from, to)]
        .filter(Boolean).join(' ');
}
