// Placeholders for data: errors, empty states, loading.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { formatLength } from '../text/times.js';
import { Icon } from './icons.js';

/** Counts down from `seconds` to 0; a new `key` restarts it. */
export function useCountdown(seconds, key) {
    const [left, setLeft] = useState(seconds);
    useEffect(() => {
        setLeft(seconds);
        const end = Date.now() + seconds * 1000;
        const timer = setInterval(() => {
            const rest = Math.max(0, Math.ceil((end - Date.now()) / 1000));
            setLeft(rest);
            if (rest === 0) {
                clearInterval(timer);
            }
        }, 250);
        return () => clearInterval(timer);
    }, [seconds, key]);
    return left;
}

function titleOf(error) {
    if (error.status === 0) {
        return 'No connection';
    }
    if (error.status === 429) {
        return 'Limit reached';
    }
    return error.status === 503 ? 'The server is not ready' : null;
}

/**
 * Explains a failed request (ApiError), with the remaining wait if there is one. With `onRetry` it has a retry
 * button, and retries automatically when the wait after a 503 is over.
 */
export function FailureNote({ error, onRetry }) {
    const left = useCountdown(error.retrySeconds ?? 0, error);
    const triesItself = error.status === 503 && error.retrySeconds && onRetry;
    useEffect(() => {
        if (!triesItself) {
            return undefined;
        }
        const timer = setTimeout(onRetry, error.retrySeconds * 1000);
        return () => clearTimeout(timer);
    }, [error]);
    const title = titleOf(error);
    return html`<div class="note note-fail" role="alert">
        <${Icon} name="error" />
        <div class="note-body">
            <p class="foreign">${title && html`<strong>${title}. </strong>`}${error.message}</p>
            ${left > 0 && html`<p class="small">
                ${triesItself ? 'Next try in' : 'You can try again in'} ${formatLength(left)}.</p>`}
            ${onRetry && html`<div><button class="button button-small" type="button"
                disabled=${left > 0 && !triesItself} onClick=${onRetry}>Try again</button></div>`}
        </div>
    </div>`;
}

/** An empty state with advice. */
export function Empty({ title, children }) {
    return html`<div class="empty">
        <span class="empty-mark" aria-hidden="true"></span>
        <div class="empty-body"><h2 class="foreign">${title}</h2>${children}</div>
    </div>`;
}

/** Skeletons of `count` rows or lines that are loading; `kind` is `row` or `line`. */
export function Skeleton({ count, kind = 'row' }) {
    return html`<div aria-busy="true">
        <p class="unseen">Loading</p>
        ${Array.from({ length: count }, (_, index) =>
            html`<div key=${index} class=${`bone bone-${kind}`}></div>`)}
    </div>`;
}
