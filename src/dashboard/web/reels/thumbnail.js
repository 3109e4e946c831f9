// A reel's picture, upright as on the phone it was made for.
import { html, useState } from '../htm-preact.js';

/** What is asked for: rows are many and need little. */
const QUERIES = { row: '?size=small', poster: '' };

/** The thumbnail of a reel, or an empty frame while or where there is none. `size`: `row`, `poster`. */
export function Thumbnail({ id, status, size = 'row', isEager = false }) {
    const [isMissing, setIsMissing] = useState(false);
    const hasPicture = status === 'done' && !isMissing;
    return html`<span class=${`thumb thumb-${size} thumb-of-${status}`}>
        ${hasPicture && html`<img src=${`/dashboard/api/reels/${id}/thumbnail${QUERIES[size]}`} alt=""
            loading=${isEager ? 'eager' : 'lazy'} decoding="async"
            onError=${() => setIsMissing(true)} />`}
    </span>`;
}
