// A list of timed entries, synchronised with the timeline.
import { html, useEffect, useRef } from '../htm-preact.js';
import { formatTimecode } from '../text/times.js';

/** Scrolls the list, never the page, to make the entry visible. */
function showEntry(list, entry) {
    const top = entry.offsetTop - list.offsetTop;
    const isSeen = top >= list.scrollTop
        && top + entry.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!isSeen) {
        list.scrollTop = top - list.clientHeight / 3;
    }
}

/** `spans` are the timeline's, `current` those at its time; `none` is shown when there are no spans. */
export function SpanList({ kind, title, spans, current, none, onSeek }) {
    const list = useRef(null);
    const first = current[0];
    useEffect(() => {
        const entry = first === undefined ? null : list.current?.children[first];
        if (entry) {
            showEntry(list.current, entry);
        }
    }, [first]);
    return html`<section class=${`spans spans-${kind}`} aria-label=${title}>
        <h2>${title}</h2>
        ${spans.length === 0 ? html`<p class="muted">${none}</p>` : html`<ol ref=${list}>
            ${spans.map((span, index) => html`<li key=${index}>
                <button class="entry" type="button" onClick=${() => onSeek(span.start)}
                    aria-current=${current.includes(index) ? 'true' : undefined}>
                    <span class="timecode">${formatTimecode(span.start)}</span>
                    <span class="foreign" dir="auto">${span.text}</span>
                </button>
            </li>`)}
        </ol>`}
    </section>`;
}
