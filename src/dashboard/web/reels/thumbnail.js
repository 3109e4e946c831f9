// A reel's thumbnail, in portrait format.
import { html, useState } from 'htm/preact/standalone';

/** Requested sizes: rows are many and small. */
const QUERIES = { row: '?size=small', poster: '' };

/**
 * The thumbnail of a reel, or an empty frame without one. `size` is `row` or `poster`; `address` is that of another
 * picture of the reel to show instead.
 */
export function Thumbnail({ id, status, size = 'row', address = null, isEager = false }) {
    const [isMissing, setIsMissing] = useState(false);
    const hasPicture = status === 'done' && !isMissing;
    return html`<span class=${`thumb thumb-${size} thumb-of-${status}`}>
        ${hasPicture && html`<img src=${address ?? `/dashboard/api/reels/${id}/thumbnail${QUERIES[size]}`} alt=""
            loading=${isEager ? 'eager' : 'lazy'} decoding="async"
            onError=${() => setIsMissing(true)} />`}
    </span>`;
}
