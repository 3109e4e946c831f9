// Events that the daemon pushes. The stream is closed while the page is hidden, because browsers limit the
// connections to a host.
import { loadSession } from './session.js';
import { createStore, useStore } from './store.js';

const RETRY_SECONDS_MAX = 30;
const PATIENCE_SECONDS = 3; // Shorter interruptions are not shown.

/** `live`, `connecting` or `paused`. */
export const liveStore = createStore('connecting');

/** Whether the server has been unreachable for longer than PATIENCE_SECONDS. */
export const awayStore = createStore(false);

// Current steps by reel id. Only events report them, and an event may precede its reel.
const stepsStore = createStore(new Map());

const listeners = { reel: new Set(), deleted: new Set(), reset: new Set() };
let source = null;
let isWanted = false;
let retrySeconds = 1;
let retryTimer = 0;
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

function close(state) {
    clearTimeout(retryTimer);
    source?.close();
    source = null;
    liveStore.set(state);
}

function retryLater() {
    close('connecting');
    retryTimer = setTimeout(async () => {
        // The session has probably ended.
        if (await loadSession()) {
            noteReached();
        } else {
            noteMissed();
        }
        open();
    }, retrySeconds * 1000);
    retrySeconds = Math.min(retrySeconds * 2, RETRY_SECONDS_MAX);
}

function open() {
    if (source || !isWanted || document.hidden) {
        return;
    }
    let isFirst = true;
    source = new EventSource('/dashboard/api/events');
    source.onopen = () => {
        retrySeconds = 1;
        noteReached();
        liveStore.set('live');
        // A stream that the browser resumes has missed no event; a new stream may have.
        if (isFirst) {
            notify('reset', {});
        } else {
            loadSession(); // Another account may have signed in.
        }
        isFirst = false;
    };
    source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) {
            retryLater();
        } else {
            liveStore.set('connecting');
            noteMissed();
        }
    };
    for (const type of Object.keys(listeners)) {
        source.addEventListener(type, (event) => notify(type, JSON.parse(event.data)));
    }
}

function followVisibility() {
    if (document.hidden) {
        close('paused');
        noteReached(); // The state is unknown while the page is hidden.
    } else {
        loadSession(); // Another account may have signed in.
        open();
    }
}

/** Opens the stream of the signed-in user. */
export function startLive() {
    if (!isWanted) {
        isWanted = true;
        document.addEventListener('visibilitychange', followVisibility);
        open();
    }
}

/** Closes the stream permanently, for example on sign-out. */
export function stopLive() {
    isWanted = false;
    document.removeEventListener('visibilitychange', followVisibility);
    close('paused');
    noteReached();
    stepsStore.set(new Map());
}

/** The current step of a reel; undefined if unknown or if the reel is not being processed. */
export function useStep(id) {
    return useStore(stepsStore).get(id);
}

/**
 * Subscribes to `reel` (a list item, with its step), `deleted` ({id}) or `reset` (reload the shown data).
 * Returns a function that unsubscribes.
 */
export function onLive(type, listener) {
    listeners[type].add(listener);
    return () => listeners[type].delete(listener);
}
