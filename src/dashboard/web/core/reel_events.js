// What becomes of one reel that is not done. The stream is closed while nobody looks: a browser allows few
// connections to a host.
import { noteStep } from './live.js';

const RETRY_SECONDS_MAX = 30;

/**
 * Follows a reel to its end: `onChange({id, status, attempt})` first and for each change, `onEnd(reel)` with the whole
 * reel, `onDeleted()`, and `onRefused()` each time that the server will not tell. Its step goes to useStep(). Returns
 * how to stop.
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
    const tellChange = (event) => {
        const { step, ...standing } = JSON.parse(event.data);
        if (standing.status === 'done' || standing.status === 'error') {
            return; // The whole reel comes next.
        }
        noteStep({ ...standing, step });
        onChange(standing);
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
            // A break is mended by the browser, which says what it has seen; a refusal ends its trying.
            if (source?.readyState === EventSource.CLOSED) {
                close();
                retryTimer = setTimeout(open, retrySeconds * 1000);
                retrySeconds = Math.min(retrySeconds * 2, RETRY_SECONDS_MAX);
                onRefused();
            }
        };
        for (const type of ['state', 'attempt', 'step']) {
            source.addEventListener(type, tellChange);
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
