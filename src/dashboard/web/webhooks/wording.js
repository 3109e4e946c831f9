// Words for deliveries. No DOM here: Node tests this file.
import { formatLength } from '../text/times.js';

const STATES = {
    delivered: { words: 'Delivered', look: 'good', icon: 'done' },
    failed: { words: 'Not delivered', look: 'bad', icon: 'error' },
};

/** How a delivery stands: `{words, look, icon}`. */
export function standingOf(delivery) {
    if (STATES[delivery.state]) {
        return STATES[delivery.state];
    }
    if (delivery.next_try_at === undefined) {
        return { words: 'Sending', look: 'processing', icon: 'processing' };
    }
    return { words: delivery.cause ? 'Trying again' : 'Waiting', look: 'idle', icon: 'pending' };
}

/** When a delivery is tried next, seen from `now` (milliseconds), or null when it is not. */
export function nextTryWords(delivery, now) {
    if (delivery.state !== 'pending' || delivery.next_try_at === undefined) {
        return null;
    }
    const seconds = (Date.parse(delivery.next_try_at) - now) / 1000;
    return seconds < 1 ? 'now' : `in ${formatLength(seconds)}`;
}

/** What the last try was answered, in a few words, as a sentence; empty before there was one. */
export function answerWords(delivery) {
    const said = delivery.cause ?? (delivery.status_code ? `answered ${delivery.status_code}` : '');
    return said === '' ? '' : said.charAt(0).toUpperCase() + said.slice(1) + '.';
}
