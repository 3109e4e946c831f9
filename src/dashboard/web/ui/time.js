// Times in the reader's own zone; the exact time in UTC is in the title.
import { html } from '../htm-preact.js';
import { createStore, useStore } from '../core/store.js';
import { formatAge, formatDateTime, formatUtc } from '../text/times.js';

const nowStore = createStore(Date.now());
setInterval(() => {
    if (!document.hidden) {
        nowStore.set(Date.now());
    }
}, 20_000);

/** The time now in milliseconds, renewed thrice a minute. */
export function useNow() {
    return useStore(nowStore);
}

/** A time as its age, or as a date when that says more; `isAge=false` always shows the date. */
export function Time({ value, isAge = true }) {
    const now = useNow();
    const age = isAge ? formatAge(value, Math.max(now, Date.now())) : null;
    return html`<time datetime=${value} title=${formatUtc(value)}>${age ?? formatDateTime(value)}</time>`;
}
