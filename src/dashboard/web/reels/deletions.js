// Deleting with time to think again: the row goes at once, the reel itself when the message goes.
import { change } from '../core/api.js';
import { createStore } from '../core/store.js';
import { showToast } from '../ui/toast.js';

/** The ids of reels that are gone for the reader. */
export const hiddenStore = createStore(new Set());

const pending = new Map(); // The id to what sends its deletion now.

function setHidden(id, isHidden) {
    const ids = new Set(hiddenStore.get());
    if (isHidden) {
        ids.add(id);
    } else {
        ids.delete(id);
    }
    hiddenStore.set(ids);
}

async function sendDeletion(id) {
    pending.delete(id);
    try {
        await change('DELETE', `/reels/${id}`, undefined, { keepalive: true });
    } catch (why) {
        if (why.status !== 404) { // Somebody else has deleted it: that is what was wanted.
            setHidden(id, false);
            showToast(why.status === 0 ? 'No connection, so the reel was not deleted.'
                : `The reel is still there: ${why.message}`, { isFailure: true });
        }
    }
}

/**
 * Hides a reel and deletes it when the message about it, which names it by `headline`, goes. `options`:
 * `onUndo` runs if it is taken back; `takesFocus` puts the keyboard at the button that takes it back.
 */
export function deleteReel(id, headline, { onUndo = () => {}, takesFocus = false } = {}) {
    setHidden(id, true);
    const undo = () => {
        pending.delete(id);
        setHidden(id, false);
        onUndo();
    };
    const endToast = showToast('Deleted', {
        object: headline,
        action: { label: 'Undo', run: undo, isUndo: true },
        onEnd: () => sendDeletion(id),
        takesFocus,
    });
    pending.set(id, endToast);
}

/** Sends at once what still waits, as before the session ends. */
export function sendDeletions() {
    for (const endToast of [...pending.values()]) {
        endToast();
    }
}

addEventListener('pagehide', sendDeletions);
