// The address of a reel, to share.
import { formatTimecode } from '../text/times.js';
import { copyAndReport } from '../ui/copy.js';

/** Copies the address of a reel, at a time in seconds unless that is null. */
export function copyLink(id, seconds = null) {
    const address = `${location.origin}/reels/${id}`;
    return seconds === null ? copyAndReport(address, 'the link')
        : copyAndReport(`${address}#t=${seconds}`, `the link at ${formatTimecode(seconds)}`);
}
