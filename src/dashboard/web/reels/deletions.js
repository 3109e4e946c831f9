// Deletion with undo: rows are hidden immediately, reels are deleted when the message closes.
import { change } from '../core/api.js';
import { createStore } from '../core/store.js';
import { countOf } from '../text/numbers.js';
import { showToast } from '../ui/toast.js';

/** Ids of hidden and deleted reels. */
export const hiddenStore = createStore(new Set());

// Requests at a time. Chromium rejects those beyond 256 of a tab that outlive the page.
const GROUP = 50;

const pending = new Set(); // Functions that send each pending deletion immediately.
const sending = new Map(); // The ids that wait for their group, by the promise of the whole deletion.

function setHidden(ids, isHidden) {
    const hidden = hiddenStore.get();
    hiddenStore.set(isHidden ? hidden.union(new Set(ids)) : hidden.difference(new Set(ids)));
}

/** Resolves to the reason why the reel was not deleted, or to null. */
async function sendDeletion(id) {
    try {
        await change('DELETE', `/reels/${id}`, undefined, { keepalive: true });
    } catch (why) {
        if (why.status !== 404) { // Already deleted, which is the desired state.
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
    return isOne ? `The reel was not deleted: ${failures[0].message}`
        : `${countOf(failures.length, 'reel')} were not deleted: ${failures[0].message}`;
}

/** Takes the ids from `waiting` as they are sent. */
async function sendInGroups(waiting) {
    const failures = [];
    while (waiting.length > 0) {
        const outcomes = await Promise.all(waiting.splice(0, GROUP).map(sendDeletion));
        failures.push(...outcomes.filter((why) => why !== null));
    }
    if (failures.length > 0) {
        showToast(failureText(failures), { isFailure: true });
    }
}

function sendAll(ids) {
    const waiting = [...ids];
    const sent = sendInGroups(waiting).finally(() => sending.delete(sent));
    sending.set(sent, waiting);
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
 * Hides a reel, and deletes it when the message that names it by `headline` closes. `options`: `onUndo` runs
 * if the user undoes it; `takesFocus` focuses the undo button.
 */
export function deleteReel(id, headline, options = {}) {
    removeLater([id], 'Deleted', { ...options, object: headline });
}

/** The same for several. */
export function deleteReels(ids, options = {}) {
    removeLater(ids, `Deleted ${countOf(ids.length, 'reel')}`, options);
}

/** Sends all pending deletions immediately, before the session ends. Resolves once they are answered. */
export function sendDeletions() {
    for (const endToast of [...pending]) {
        endToast();
    }
    return Promise.all(sending.keys());
}

addEventListener('pagehide', () => {
    sendDeletions();
    for (const waiting of sending.values()) { // No group begins after the page.
        waiting.splice(0).forEach(sendDeletion);
    }
});
