// The address of a reel, to share.
import { copyAndReport } from '../ui/copy.js';

/** Copies the address of a reel. */
export function copyLink(id) {
    return copyAndReport(`${location.origin}/reels/${id}`, 'the link');
}
