// Announces changes on the page to screen readers.
import { html } from 'htm/preact/standalone';
import { createStore, useStore } from '../core/store.js';

const sentenceStore = createStore('');

/** Announces a sentence politely, after current speech. */
export function announce(sentence) {
    sentenceStore.set(sentence);
}

/** The live region; once per page. */
export function Announcer() {
    const sentence = useStore(sentenceStore);
    return html`<p class="unseen" role="status" aria-live="polite">${sentence}</p>`;
}
