// A virtualised list: only rows near the viewport are rendered.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { ReelRow } from './row.js';

const CHUNK_ROWS = 40;
const NEAR = '1200px'; // Rendered in advance, so that scrolling shows no gap.

// Heights of chunks that are not rendered, by the id of the first reel; a default until measured.
const ROW_HEIGHT = 113;
const heights = new Map();

function Chunk({ reels, isFirst }) {
    const element = useRef(null);
    const [isNear, setIsNear] = useState(isFirst);
    useEffect(() => {
        const observer = new IntersectionObserver(
            (entries) => setIsNear(entries.at(-1).isIntersecting), { rootMargin: NEAR });
        observer.observe(element.current);
        return () => observer.disconnect();
    }, []);
    const first = reels[0].id;
    useLayoutEffect(() => {
        if (isNear) {
            heights.set(first, element.current.offsetHeight);
        }
    });
    const height = heights.get(first) ?? reels.length * ROW_HEIGHT;
    return html`<ul class="rows" ref=${element}
            style=${isNear ? {} : { height: `${height}px` }}>
        ${isNear && reels.map((reel) => html`<${ReelRow} key=${reel.id} reel=${reel} />`)}
    </ul>`;
}

/** The rows of `reels`, in their order. */
export function RowList({ reels }) {
    const count = Math.ceil(reels.length / CHUNK_ROWS);
    return html`<section aria-label="Reels, newest first">
        ${Array.from({ length: count }, (_, index) => html`<${Chunk} key=${index} isFirst=${index === 0}
            reels=${reels.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS)} />`)}
    </section>`;
}
