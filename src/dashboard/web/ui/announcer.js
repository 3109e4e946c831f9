// Announces changes on the page to screen readers.
import { html } from '../htm-preact.js';
import { createStore, useStore } from '../core/store.js';

const saidStore = createStore('');

/** Announces a sentence politely, after current speech. */
export function announce(sentence) {
    saidStore.set(sentence);
}

/** The live region; once per page. */
export function Announcer() {
    const said = useStore(saidStore);
    return html`<p class="unseen" role="status" aria-live="polite">${said}</p>`;
}
