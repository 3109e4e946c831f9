// What the daemon tells of its own accord. The stream is closed while nobody looks: a browser allows
// few connections to a host.
import { loadSession } from './session.js';
import { createStore, useStore } from './store.js';

const RETRY_SECONDS_MAX = 30;
const PATIENCE_SECONDS = 3; // A server that is back before this was never missed.

/** `live`, `connecting` or `paused`. */
export const liveStore = createStore('connecting');

/** Whether the server has been out of reach for longer than a moment. */
export const awayStore = createStore(false);

// The steps of the reels in work, by id. Only events tell them, and they may come before the reels do.
const stepsStore = createStore(new Map());

const listeners = { reel: new Set(), deleted: new Set(), reset: new Set() };
let source = null;
let isWanted = false;
let retrySeconds = 1;
let retryTimer = 0;
let awayTimer = null;

/** Takes note of the step that an event names; without one, that none is known. */
export function noteStep({ id, status, step }) {
    const steps = new Map(stepsStore.get());
    steps.delete(id);
    if (status === 'processing' && step) {
        steps.set(id, step);
    }
    stepsStore.set(steps);
}

function tell(type, data) {
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
        // A session that has ended is the likeliest reason.
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
        // A stream that the browser resumes by itself has missed nothing; a new one may have.
        if (isFirst) {
            tell('reset', {});
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
        source.addEventListener(type, (event) => tell(type, JSON.parse(event.data)));
    }
}

function followVisibility() {
    if (document.hidden) {
        close('paused');
        noteReached(); // Nobody asks now; who comes back finds out anew.
    } else {
        open();
    }
}

/** Opens the stream, for a person who has signed in. */
export function startLive() {
    if (!isWanted) {
        isWanted = true;
        document.addEventListener('visibilitychange', followVisibility);
        open();
    }
}

/** Closes the stream for good, as on signing out. */
export function stopLive() {
    isWanted = false;
    document.removeEventListener('visibilitychange', followVisibility);
    close('paused');
    noteReached();
    stepsStore.set(new Map());
}

/** What is being done for a reel; undefined while that is unknown, and unless it is in work. */
export function useStep(id) {
    return useStore(stepsStore).get(id);
}

/**
 * Listens to `reel` (a list item, with its step), `deleted` ({id}) or `reset` (load anew what is shown);
 * returns how to stop listening.
 */
export function onLive(type, listener) {
    listeners[type].add(listener);
    return () => listeners[type].delete(listener);
}
