// Progress events of one unfinished reel.
import { followEvents } from './event_stream.js';
import { noteStep } from './live.js';

/**
 * Follows a reel to its end: calls `onChange({id, status, attempt})` first and after each change, `onEnd(reel)` with
 * the complete reel, `onDeleted()`, and `onRefused()` whenever the server rejects the stream. useStep() has its step.
 * Returns a function that stops.
 */
export function followReel(id, { onChange, onEnd, onDeleted, onRefused }) {
    const reportChange = ({ step, ...state }) => {
        if (state.status === 'done' || state.status === 'error') {
            return; // The complete reel follows.
        }
        noteStep({ ...state, step });
        onChange(state);
    };
    const stop = followEvents(`/dashboard/api/reels/${id}/events`, {
        state: reportChange, attempt: reportChange, step: reportChange,
        finished: (reel) => {
            stop();
            noteStep(reel);
            onEnd(reel);
        },
        deleted: () => {
            stop();
            onDeleted();
        },
    }, { onRefused });
    return stop;
}
