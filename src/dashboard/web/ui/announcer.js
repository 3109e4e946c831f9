// Tells screen readers what changes elsewhere on the page.
import { html } from '../htm-preact.js';
import { createStore, useStore } from '../core/store.js';

const saidStore = createStore('');

/** Has a sentence read out when the reader is next free. */
export function announce(sentence) {
    saidStore.set(sentence);
}

/** The region that is read out; once on the page. */
export function Announcer() {
    const said = useStore(saidStore);
    return html`<p class="unseen" role="status" aria-live="polite">${said}</p>`;
}
