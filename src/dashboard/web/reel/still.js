// The picture of the latest key moment, where the video is not kept.
import { html } from 'htm/preact/standalone';
import { resourceAddress } from '../core/api.js';

/** Whether some of the key moments have pictures. */
export function hasStills(moments) {
    return moments.some(({ frame }) => frame);
}

/**
 * The picture of the last of `spans`, the key moments, that has one and begins at or before `seconds`, otherwise of the
 * first. `metadata` is the result's. `children` follow.
 */
export function Still({ spans, seconds, metadata, children }) {
    const { width, height } = metadata;
    const framed = spans.filter(({ frame }) => frame);
    const shown = framed.findLast(({ start }) => start <= seconds) ?? framed[0];
    return html`<div class="player player-still stack"><img class="player-video" src=${resourceAddress(shown.frame)}
        width=${width} height=${height} style=${{ aspectRatio: `${width} / ${height}` }} alt=${`Picture of: ${shown.text}`}
        decoding="async" />${children}</div>`;
}
