// Saved searches of the account.
import { change, get } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';

const NAME_LENGTH_MAX = 100;
const NOTHING = { searches: null, error: null };

/** `searches` are null until they have been loaded; `error` is why they could not be. */
export const savedStore = createStore(NOTHING);

let leaving = new AbortController(); // Aborts the request on sign-out.

export async function loadSaved() {
    const { signal } = leaving;
    try {
        savedStore.set({ searches: await get('/searches', signal), error: null });
    } catch (error) {
        if (!signal.aborted) {
            savedStore.set({ ...savedStore.get(), error });
        }
    }
}

/** Saves a search, of the reels of `author` unless that is empty; rejects with ApiError. */
export async function saveSearch(query, author) {
    // The default name is the query, which another author may already have.
    const name = `${[...query].slice(0, NAME_LENGTH_MAX - author.length - 3).join('')} (${author})`;
    await change('POST', '/searches', { query, ...author && { author, name } });
    await loadSaved();
}

/** Deletes a saved search; rejects with ApiError. */
export async function removeSearch(id) {
    try {
        await change('DELETE', `/searches/${id}`);
    } catch (error) {
        if (error.status !== 404) { // Deleted elsewhere, which is the desired state.
            throw error;
        }
    }
    await loadSaved();
}

// The next user of this browser must not see them.
sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        leaving.abort();
        leaving = new AbortController();
        savedStore.set(NOTHING);
    }
});
