// How long analyses take. No DOM, so that Node can test this file.
import { formatLength } from '../text/times.js';

const REELS_MAX = 10;
const REELS_MIN = 3;
const SECONDS_MIN = 1; // Copies of an earlier result take less.

/** The median time of the newest analyses among `reels`, newest first, in seconds; null for fewer than REELS_MIN. */
export function usualSeconds(reels) {
    const times = reels.filter(({ status }) => status === 'done')
        .map((reel) => (Date.parse(reel.finished_at) - Date.parse(reel.started_at)) / 1000)
        .filter((seconds) => seconds >= SECONDS_MIN).slice(0, REELS_MAX).sort((one, other) => one - other);
    return times.length < REELS_MIN ? null : times[Math.floor((times.length - 1) / 2)];
}

/** The time since a start (milliseconds, like `now`) next to the usual seconds or null: `for 12 s of about 20 s`. */
export function elapsedWords(start, now, usual) {
    const seconds = Math.max(0, (now - start) / 1000);
    if (usual === null) {
        return `for ${formatLength(seconds)}`;
    }
    return seconds < usual ? `for ${formatLength(seconds)} of about ${formatLength(usual)}`
        : `for ${formatLength(seconds)}, usually ${formatLength(usual)}`;
}
