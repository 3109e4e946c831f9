// Deleting with time to think again: the rows go at once, the reels themselves when the message goes.
import { change } from '../core/api.js';
import { createStore } from '../core/store.js';
import { countOf } from '../text/numbers.js';
import { showToast } from '../ui/toast.js';

/** The ids of reels that are gone for the reader. */
export const hiddenStore = createStore(new Set());

const pending = new Set(); // What sends each deletion now.

function setHidden(ids, isHidden) {
    const hidden = new Set(hiddenStore.get());
    for (const id of ids) {
        if (isHidden) {
            hidden.add(id);
        } else {
            hidden.delete(id);
        }
    }
    hiddenStore.set(hidden);
}

/** Resolves to why the reel is still there, or to null. */
async function sendDeletion(id) {
    try {
        await change('DELETE', `/reels/${id}`, undefined, { keepalive: true });
    } catch (why) {
        if (why.status !== 404) { // Somebody else has deleted it: that is what was wanted.
            setHidden([id], false);
            return why;
        }
    }
    return null;
}

function failureText(failures) {
    const isOne = failures.length === 1;
    if (failures[0].status === 0) {
        return isOne ? 'No connection, so the reel was not deleted.'
            : `No connection, so ${countOf(failures.length, 'reel')} were not deleted.`;
    }
    return isOne ? `The reel is still there: ${failures[0].message}`
        : `${countOf(failures.length, 'reel')} are still there: ${failures[0].message}`;
}

async function sendAll(ids) {
    const failures = (await Promise.all(ids.map(sendDeletion))).filter((why) => why !== null);
    if (failures.length > 0) {
        showToast(failureText(failures), { isFailure: true });
    }
}

function removeLater(ids, message, { object, onUndo = () => {}, takesFocus = false }) {
    setHidden(ids, true);
    const undo = () => {
        pending.delete(endToast);
        setHidden(ids, false);
        onUndo();
    };
    const endToast = showToast(message, {
        object,
        action: { label: 'Undo', run: undo, isUndo: true },
        onEnd: () => {
            pending.delete(endToast);
            sendAll(ids);
        },
        takesFocus,
    });
    pending.add(endToast);
}

/**
 * Hides a reel and deletes it when the message about it, which names it by `headline`, goes. `options`:
 * `onUndo` runs if it is taken back; `takesFocus` puts the keyboard at the button that takes it back.
 */
export function deleteReel(id, headline, options = {}) {
    removeLater([id], 'Deleted', { ...options, object: headline });
}

/** The same for several. */
export function deleteReels(ids, options = {}) {
    removeLater(ids, `Deleted ${countOf(ids.length, 'reel')}`, options);
}

/** Sends at once what still waits, as before the session ends. */
export function sendDeletions() {
    for (const endToast of [...pending]) {
        endToast();
    }
}

addEventListener('pagehide', sendDeletions);
