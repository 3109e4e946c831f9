// A virtualised list: only rows near the viewport are rendered.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { useStore } from '../core/store.js';
import { ReelRow } from './row.js';
import { viewStore } from './view.js';

const CHUNK_ROWS = 60; // Fills whole lines of a grid of two to six columns.
const NEAR = '1200px'; // Rendered in advance, so that scrolling shows no gap.

// Heights of chunks that are not rendered, by view and the id of the first reel; a default until measured.
const REEL_HEIGHTS = { list: 41, grid: 50 };
const heights = new Map();

function Chunk({ reels, view, isFirst }) {
    const element = useRef(null);
    const [isNear, setIsNear] = useState(isFirst);
    useEffect(() => {
        const observer = new IntersectionObserver(
            (entries) => setIsNear(entries.at(-1).isIntersecting), { rootMargin: NEAR });
        observer.observe(element.current);
        return () => observer.disconnect();
    }, []);
    const first = `${view} ${reels[0].id}`;
    useLayoutEffect(() => {
        if (isNear) {
            heights.set(first, element.current.offsetHeight);
        }
    });
    const height = heights.get(first) ?? reels.length * REEL_HEIGHTS[view];
    return html`<ul class=${`rows rows-${view}`} ref=${element}
            style=${isNear ? {} : { height: `${height}px` }}>
        ${isNear && reels.map((reel) => html`<${ReelRow} key=${reel.id} reel=${reel} />`)}
    </ul>`;
}

/** The rows of `reels`, in their order. */
export function RowList({ reels }) {
    const view = useStore(viewStore);
    const count = Math.ceil(reels.length / CHUNK_ROWS);
    return html`<section aria-label="Reels, newest first">
        ${Array.from({ length: count }, (_, index) => html`<${Chunk} key=${index} view=${view} isFirst=${index === 0}
            reels=${reels.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS)} />`)}
    </section>`;
}
