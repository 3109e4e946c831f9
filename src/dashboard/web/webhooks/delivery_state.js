// Texts for deliveries. No DOM, so that Node can test this file.
import { formatLength } from '../text/times.js';

const STATES = {
    delivered: { words: 'Delivered', look: 'good', icon: 'done' },
    failed: { words: 'Not delivered', look: 'bad', icon: 'error' },
};

/** The state of a delivery: `{words, look, icon}`. */
export function stateOf(delivery) {
    if (STATES[delivery.state]) {
        return STATES[delivery.state];
    }
    if (delivery.next_try_at === undefined) {
        return { words: 'Sending', look: 'processing', icon: 'processing' };
    }
    return { words: delivery.cause ? 'Trying again' : 'Waiting', look: 'idle', icon: 'pending' };
}

/** The time until the next try at `now` (milliseconds) as text, or null if there is none. */
export function nextTryWords(delivery, now) {
    if (delivery.state !== 'pending' || delivery.next_try_at === undefined) {
        return null;
    }
    const seconds = (Date.parse(delivery.next_try_at) - now) / 1000;
    return seconds < 1 ? 'now' : `in ${formatLength(seconds)}`;
}

/** The outcome of the last try as a short sentence; empty before the first. */
export function answerWords(delivery) {
    const outcome = delivery.cause ?? (delivery.status_code ? `answered ${delivery.status_code}` : '');
    return outcome === '' ? '' : outcome.charAt(0).toUpperCase() + outcome.slice(1) + '.';
}
