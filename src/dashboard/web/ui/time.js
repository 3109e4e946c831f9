// Times in the user's time zone, with the exact UTC time as a tooltip.
import { html } from 'htm/preact/standalone';
import { createStore, useStore } from '../core/store.js';
import { formatAge, formatDateTime, formatUtc } from '../text/times.js';

const nowStore = createStore(Date.now());
setInterval(() => {
    if (!document.hidden) {
        nowStore.set(Date.now());
    }
}, 20_000);

/** The current time in milliseconds, updated three times a minute. */
export function useNow() {
    return useStore(nowStore);
}

/** A time as its age, or as a date after a week; `isAge=false` always shows the date. */
export function Time({ value, isAge = true }) {
    const now = useNow();
    const age = isAge ? formatAge(value, Math.max(now, Date.now())) : null;
    return html`<time datetime=${value} title=${formatUtc(value)}>${age ?? formatDateTime(value)}</time>`;
}
