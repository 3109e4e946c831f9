// The timeline of a reel: key moments, speech and on-screen text, with a movable cursor.
import { html, useRef } from 'htm/preact/standalone';
import { formatTimecode } from '../text/times.js';
import { Icon } from '../ui/icons.js';
import { neighbourStart, packRows, percentOf, ruleTicks, secondsAfterKey, secondsAt } from './positions.js';

const ROWS_MAX = 3;
const TICKS_MAX = 10;
const TICK_PERCENT_MAX = 90;
const ROW_HEIGHT = 16;
const TRACK_EDGE = 4;

function Ruler({ duration }) {
    // A tick's label is to its right: the last tick has no space for one.
    const ticks = ruleTicks(duration, TICKS_MAX)
        .filter((seconds) => percentOf(seconds, duration) <= TICK_PERCENT_MAX);
    return html`<div class="ruler" aria-hidden="true">
        ${ticks.map((seconds) => html`<span key=${seconds} class="tick"
            style=${{ left: `${percentOf(seconds, duration)}%` }}>${formatTimecode(seconds)}</span>`)}
    </div>`;
}

/** The height of a track in pixels, from the rows of its spans. */
function trackHeight(rows) {
    return Math.max(1, ...rows.map((row) => row + 1)) * ROW_HEIGHT + 2 * TRACK_EDGE + 1;
}

function TrackNames({ tracks }) {
    return html`<div class="track-names" aria-hidden="true">${tracks.map((track) => html`<span key=${track.kind}
        class="track-name" data-kind=${track.kind} style=${{ height: `${trackHeight(track.rows)}px` }}>
        ${track.title}</span>`)}</div>`;
}

function Track({ kind, spans, rows, current, duration }) {
    return html`<div class="track" data-kind=${kind} style=${{ height: `${trackHeight(rows)}px` }}
            aria-hidden="true">
        ${spans.map((span, index) => html`<span key=${index} title=${span.text}
            class=${`span ${current.includes(index) ? 'span-now' : ''}`}
            style=${{
                left: `${percentOf(span.start, duration)}%`,
                width: `max(3px, ${percentOf(span.end - span.start, duration)}% - 1px)`,
                top: `${rows[index] * ROW_HEIGHT + TRACK_EDGE}px`,
            }}></span>`)}
    </div>`;
}

function Steps({ moments, seconds, onSeek }) {
    const earlier = neighbourStart(moments, seconds, -1);
    const later = neighbourStart(moments, seconds, 1);
    return html`<div class="steps">
        <button class="button button-small button-icon" type="button" disabled=${earlier === null}
            aria-label="Previous key moment" title="Previous key moment"
            onClick=${() => onSeek(earlier)}><${Icon} name="back" /></button>
        <button class="button button-small button-icon" type="button" disabled=${later === null}
            aria-label="Next key moment" title="Next key moment"
            onClick=${() => onSeek(later)}><${Icon} name="next" /></button>
    </div>`;
}

/**
 * `tracks` are `[{kind, title, spans, current}]`, `current` the indices of the spans at `seconds`; `description` is
 * the text for screen readers at that time; `onSeek` receives the time that the user moves to.
 */
export function Timeline({ duration, seconds, tracks, description, onSeek }) {
    const area = useRef(null);
    const packed = tracks.map((track) => ({ ...track, rows: packRows(track.spans, ROWS_MAX) }));
    const seekTo = (event) => {
        const box = area.current.getBoundingClientRect();
        onSeek(secondsAt(event.clientX - box.left, box.width, duration));
    };
    const startDrag = (event) => {
        if (event.button === 0) {
            area.current.setPointerCapture(event.pointerId);
            event.preventDefault(); // Otherwise the cursor would lose the focus, and arrow keys would not move it.
            area.current.querySelector('[role="slider"]').focus({ preventScroll: true });
            seekTo(event);
        }
    };
    const drag = (event) => area.current.hasPointerCapture(event.pointerId) && seekTo(event);
    const followKey = (event) => {
        const next = secondsAfterKey(event.key, seconds, duration);
        if (next !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            onSeek(next);
        }
    };
    return html`<div class="timeline">
        <div class="timeline-head flow">
            <${Steps} moments=${tracks[0].spans} seconds=${seconds} onSeek=${onSeek} />
            <p class="clock code"><b>${formatTimecode(seconds, true)}</b> of ${formatTimecode(duration, true)}</p>
        </div>
        <div class="timeline-body">
            <${TrackNames} tracks=${packed} />
            <div class="timeline-area" ref=${area} onPointerDown=${startDrag} onPointerMove=${drag}>
                <${Ruler} duration=${duration} />
                ${packed.map((track) => html`<${Track} key=${track.kind} kind=${track.kind} spans=${track.spans}
                    rows=${track.rows} current=${track.current} duration=${duration} />`)}
                <div class="cursor" role="slider" tabindex="0" aria-label="Time in the reel"
                    aria-valuemin="0" aria-valuemax=${duration} aria-valuenow=${seconds}
                    aria-valuetext=${`${formatTimecode(seconds, true)} of ${formatTimecode(duration)}. ${description}`}
                    aria-orientation="horizontal" onKeyDown=${followKey}
                    style=${{ left: `${percentOf(seconds, duration)}%` }}></div>
            </div>
        </div>
    </div>`;
}
