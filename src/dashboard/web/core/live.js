// Events that the daemon pushes.
import { followEvents } from './event_stream.js';
import { loadSession } from './session.js';
import { createStore, useStore } from './store.js';

const PATIENCE_SECONDS = 3; // Shorter interruptions are not shown.

/** `live`, `connecting` or `paused`. */
export const liveStore = createStore('connecting');

/** Whether the server has been unreachable for longer than PATIENCE_SECONDS. */
export const awayStore = createStore(false);

// Current steps by reel id. Only events report them, and an event may precede its reel.
const stepsStore = createStore(new Map());

const listeners = { reel: new Set(), deleted: new Set(), reset: new Set(), reached: new Set() };
let stop = null; // The stream of the signed-in user.
let awayTimer = null;

/** Stores the step that an event names, or clears it. */
export function noteStep({ id, status, step }) {
    const steps = new Map(stepsStore.get());
    steps.delete(id);
    if (status === 'processing' && step) {
        steps.set(id, step);
    }
    stepsStore.set(steps);
}

function notify(type, data) {
    if (type === 'reel') {
        noteStep(data);
    }
    for (const listener of [...listeners[type]]) {
        listener(data);
    }
}

function noteReached() {
    clearTimeout(awayTimer);
    awayTimer = null;
    awayStore.set(false);
}

function noteMissed() {
    awayTimer ??= setTimeout(() => awayStore.set(true), PATIENCE_SECONDS * 1000);
}

const HANDLERS = {
    onOpen: (isNew) => {
        noteReached();
        liveStore.set('live');
        // A stream that the browser resumes has missed no event; a new stream may have.
        if (isNew) {
            notify('reset', {});
        } else {
            loadSession(); // Another account may have signed in.
        }
        notify('reached', {});
    },
    onBreak: () => {
        liveStore.set('connecting');
        noteMissed();
    },
    onRefused: () => liveStore.set('connecting'),
    // The session has probably ended.
    beforeRetry: async () => await loadSession() ? noteReached() : noteMissed(),
    onVisibility: () => {
        if (document.hidden) {
            liveStore.set('paused');
            noteReached(); // The state is unknown while the page is hidden.
        } else {
            loadSession(); // Another account may have signed in.
        }
    },
};

/** Opens the stream of the signed-in user. */
export function startLive() {
    const types = Object.keys(listeners).map((type) => [type, (data) => notify(type, data)]);
    stop ??= followEvents('/dashboard/api/events', Object.fromEntries(types), HANDLERS);
}

/** Closes the stream permanently, for example on sign-out. */
export function stopLive() {
    stop?.();
    stop = null;
    liveStore.set('paused');
    noteReached();
    stepsStore.set(new Map());
}

/** The current step of a reel; undefined if unknown or if the reel is not being processed. */
export function useStep(id) {
    return useStore(stepsStore).get(id);
}

/**
 * Subscribes to `reel` (a list item, with its step), `deleted` ({id}), `reset` (reload the shown data) or `reached` (the server
 * is reachable: repeat what failed).
 * Returns a function that unsubscribes.
 */
export function onLive(type, listener) {
    listeners[type].add(listener);
    return () => listeners[type].delete(listener);
}
