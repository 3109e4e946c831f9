// Announces changes on the page to screen readers.
import { html } from 'htm/preact/standalone';
import { createStore, useStore } from '../core/store.js';

const sentenceStore = createStore({ sentence: '', number: 0 });

/** Announces a sentence politely, after current speech. */
export function announce(sentence) {
    sentenceStore.set({ sentence, number: sentenceStore.get().number + 1 });
}

/** The live region; once per page. */
export function Announcer() {
    const { sentence, number } = useStore(sentenceStore);
    // A new element each time: the same text in the same element is not announced again.
    return html`<p class="unseen" role="status" aria-live="polite"><span key=${number}>${sentence}</span></p>`;
}
