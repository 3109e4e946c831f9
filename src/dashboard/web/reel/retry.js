// What can be done about a failed reel. No DOM here: Node tests this file.
import { pathWithQuery } from '../core/routes.js';

const PLATFORM_CAUSES = ['rate_limited', 'download_failed', 'unavailable'];

function isLink(url) {
    return /^https?:/i.test(url);
}

/**
 * Whole seconds until a failed reel may be submitted again, seen from `now` (milliseconds); null where another
 * submission would fail as well, and for an uploaded file, which the page does not have.
 */
export function retryWait(reel, now) {
    if (!reel.retryable || !isLink(reel.url)) {
        return null;
    }
    const retryAt = Date.parse(reel.finished_at) + (reel.retry_after_seconds ?? 0) * 1000;
    return Number.isNaN(retryAt) ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
}

/** The page that uploads the video of a reel which the platform did not give; null for other causes. */
export function uploadPath(reel) {
    return PLATFORM_CAUSES.includes(reel.error_code) && isLink(reel.url)
        ? pathWithQuery('/', { upload: reel.url }) : null;
}
