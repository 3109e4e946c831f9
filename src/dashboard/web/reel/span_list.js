// A list of timed entries, synchronised with the timeline.
import { html, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { resourceAddress } from '../core/api.js';
import { formatTimecode } from '../text/times.js';

/** Scrolls the list, never the page, to make the entry visible. */
function showEntry(list, entry) {
    const top = entry.offsetTop; // Within the list, which is positioned.
    const isSeen = top >= list.scrollTop
        && top + entry.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!isSeen) {
        list.scrollTop = top - list.clientHeight / 3;
    }
}

/** The picture of a moment; the entry has its description. */
function Frame({ path }) {
    const [isMissing, setIsMissing] = useState(false);
    const address = resourceAddress(path);
    return html`<span class="frame">${address && !isMissing && html`<img src=${address} alt="" loading="lazy"
        decoding="async" onError=${() => setIsMissing(true)} />`}</span>`;
}

/**
 * `spans` are the timeline's, `current` those at its time; `none` is shown when there are no spans. `onSeek` receives the
 * time of an entry and its element.
 */
export function SpanList({ kind, title, spans, current, none, onSeek }) {
    const list = useRef(null);
    const first = current[0];
    const hasFrames = spans.some((span) => span.frame);
    useLayoutEffect(() => {
        const entry = first === undefined ? null : list.current?.children[first];
        if (entry) {
            showEntry(list.current, entry);
        }
    }, [first]);
    return html`<section class=${`spans spans-${kind}`} data-kind=${kind} aria-label=${title}>
        <h2>${title}</h2>
        ${spans.length === 0 ? html`<p class="muted">${none}</p>` : html`<ol ref=${list}>
            ${spans.map((span, index) => html`<li key=${index}>
                <button class=${`entry ${hasFrames ? 'entry-framed' : ''}`} type="button"
                    onClick=${({ currentTarget }) => onSeek(span.start, currentTarget)}
                    aria-current=${current.includes(index) ? 'true' : undefined}>
                    <span class="timecode">${formatTimecode(span.start)}</span>
                    ${hasFrames && html`<${Frame} path=${span.frame} />`}
                    <span class="foreign" dir="auto">${span.text}</span>
                </button>
            </li>`)}
        </ol>`}
    </section>`;
}
