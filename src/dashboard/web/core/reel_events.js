// Progress events of one unfinished reel. The stream is closed while the page is hidden, because browsers
// limit the connections to a host.
import { noteStep } from './live.js';

const RETRY_SECONDS_MAX = 30;

/**
 * Follows a reel to its end: calls `onChange({id, status, attempt})` first and after each change, `onEnd(reel)` with
 * the complete reel, `onDeleted()`, and `onRefused()` whenever the server rejects the stream. useStep() has its step.
 * Returns a function that stops.
 */
export function followReel(id, { onChange, onEnd, onDeleted, onRefused }) {
    let source = null;
    let retrySeconds = 1;
    let retryTimer = 0;

    const close = () => {
        clearTimeout(retryTimer);
        source?.close();
        source = null;
    };
    const reportChange = (event) => {
        const { step, ...state } = JSON.parse(event.data);
        if (state.status === 'done' || state.status === 'error') {
            return; // The complete reel follows.
        }
        noteStep({ ...state, step });
        onChange(state);
    };
    const open = () => {
        if (source || document.hidden) {
            return;
        }
        source = new EventSource(`/dashboard/api/reels/${id}/events`);
        source.onopen = () => {
            retrySeconds = 1;
        };
        source.onerror = () => {
            // The browser reconnects a broken stream with Last-Event-ID; after a rejection it stops.
            if (source?.readyState === EventSource.CLOSED) {
                close();
                retryTimer = setTimeout(open, retrySeconds * 1000);
                retrySeconds = Math.min(retrySeconds * 2, RETRY_SECONDS_MAX);
                onRefused();
            }
        };
        for (const type of ['state', 'attempt', 'step']) {
            source.addEventListener(type, reportChange);
        }
        source.addEventListener('finished', (event) => {
            const reel = JSON.parse(event.data);
            stop();
            noteStep(reel);
            onEnd(reel);
        });
        source.addEventListener('deleted', () => {
            stop();
            onDeleted();
        });
    };
    const followVisibility = () => document.hidden ? close() : open();
    const stop = () => {
        document.removeEventListener('visibilitychange', followVisibility);
        close();
    };
    document.addEventListener('visibilitychange', followVisibility);
    open();
    return stop;
}
