// Remedies for a failed reel. No DOM, so that Node can test this file.
import { pathWithQuery } from '../core/routes.js';

const REMEDIES = {
    unavailable: 'To check the link, open it without signing in.',
    unsupported_format: 'Submit a link or a file that is a video.',
    storage_error: 'Try again later. If it happens again, tell the operator.',
    video_too_long: 'Upload a shorter cut, or ask the operator for a higher limit.',
    internal: 'Try again once. If it happens again, tell the operator the number of the reel.',
};
const REMEDIES_OF_ADMINISTRATORS = {
    storage_error: 'Try again later. The cause is in the log, with the number of the reel.',
    video_too_long: 'Upload a shorter cut, or set a higher limit (video-seconds-max).',
    internal: 'Try again once. The cause is in the log, with the number of the reel.',
};
const UPLOAD_LABELS = {
    rate_limited: 'Upload the video instead',
    download_failed: 'Upload the video instead',
    unavailable: 'Upload the video instead',
    video_too_long: 'Upload a shorter cut',
};

/** What to do about a failed reel besides the buttons of its page, as a sentence; empty for nothing. */
export function remedyFor({ error_code: code, retryable, retry_after_seconds: wait }, isAdmin) {
    if (code === 'rate_limited' && retryable && !wait) {
        return 'It is unknown how long the limit lasts. You can also upload the video.';
    }
    if (code === 'model_failed') {
        return retryable ? 'Try again later.'
            : `Analyse it again with another analyzer${isAdmin ? '' : ', or ask the operator'}.`;
    }
    return (isAdmin ? REMEDIES_OF_ADMINISTRATORS[code] : undefined) ?? REMEDIES[code] ?? '';
}

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

/**
 * The page to upload a video that the platform did not serve, or a shorter cut of a long one, as `{path, label}`; null for
 * other causes.
 */
export function uploadOffer(reel) {
    const label = UPLOAD_LABELS[reel.error_code];
    if (!label || !(isLink(reel.url) || reel.error_code === 'video_too_long')) {
        return null;
    }
    return { label, path: isLink(reel.url) ? pathWithQuery('/', { upload: reel.url }) : '/?upload=' };
}
