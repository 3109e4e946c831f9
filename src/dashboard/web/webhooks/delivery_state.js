// Texts for deliveries. No DOM, so that Node can test this file.
import { formatLength } from '../text/times.js';

const STATES = {
    delivered: { words: 'Delivered', kind: 'done' },
    failed: { words: 'Not delivered', kind: 'error' },
};

/** The state of a delivery: `{words, kind}`. */
export function stateOf(delivery) {
    if (STATES[delivery.state]) {
        return STATES[delivery.state];
    }
    if (delivery.next_try_at === undefined) {
        return { words: 'Sending', kind: 'processing' };
    }
    return { words: delivery.cause ? 'Trying again' : 'Waiting', kind: 'pending' };
}

/** The time until the next try at `now` (milliseconds) as text, or null if there is none. */
export function nextTryWords(delivery, now) {
    if (delivery.state !== 'pending' || delivery.next_try_at === undefined) {
        return null;
    }
    const seconds = (Date.parse(delivery.next_try_at) - now) / 1000;
    return seconds < 1 ? 'now' : `in ${formatLength(seconds)}`;
}

/** What to do about an address in a private network: the setting is known to administrators only. */
function networkHint(isAdmin) {
    return isAdmin ? 'If it is in a private network, add that to the setting webhook-networks (REELSD_WEBHOOK_NETWORKS)'
        : 'If it is in a private network, ask the operator of this server to allow it';
}

/** An error of the API about an address. The API names the field `url`, and a setting that only the operator can change. */
export function addressProblem(message, isAdmin) {
    return message.replace(/^url\b/i, 'The address')
        .replace(/(; http is only for|, or to a private network in) REELSD_WEBHOOK_NETWORKS/, `. ${networkHint(isAdmin)}`);
}

/** The outcome of the last try as a short sentence; empty before the first. */
export function answerWords(delivery, isAdmin) {
    const outcome = (delivery.cause ?? (delivery.status_code ? `answered ${delivery.status_code}` : ''))
        .replace(/^the address is not allowed: .*REELSD_WEBHOOK_NETWORKS$/, `private address refused. ${networkHint(isAdmin)}`);
    return outcome === '' ? '' : outcome.charAt(0).toUpperCase() + outcome.slice(1) + '.';
}

/** The duration of the last try as text: `214 ms`, `15.0 s`; null if unknown. */
export function tookWords({ seconds }) {
    if (seconds === undefined) {
        return null;
    }
    return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/** A body that is JSON, with line breaks; null for another text. */
export function jsonOf(body) {
    try {
        return JSON.stringify(JSON.parse(body), null, 2);
    } catch {
        return null;
    }
}
