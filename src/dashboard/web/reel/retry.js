// Remedies for a failed reel. No DOM, so that Node can test this file.
import { pathWithQuery } from '../core/routes.js';

const PLATFORM_CAUSES = ['rate_limited', 'download_failed', 'unavailable'];

/** Whether the `url` of a reel is a link, not the name of an uploaded file. */
export function isLink(url) {
    return /^https?:/i.test(url);
}

/**
 * Whole seconds from `now` (milliseconds) until a failed reel may be submitted again; null if another submission
 * would also fail, and for an uploaded file, which the page does not have.
 */
export function retryWait(reel, now) {
    if (!reel.retryable || !isLink(reel.url)) {
        return null;
    }
    const retryAt = Date.parse(reel.finished_at) + (reel.retry_after_seconds ?? 0) * 1000;
    return Number.isNaN(retryAt) ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
}

/** The page to upload a video that the platform did not serve; null for other causes. */
export function uploadPath(reel) {
    return PLATFORM_CAUSES.includes(reel.error_code) && isLink(reel.url)
        ? pathWithQuery('/', { upload: reel.url }) : null;
}
