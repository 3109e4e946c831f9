// The timeline of a reel: key moments, speech and on-screen text, with a movable cursor.
import { html, useRef } from '../htm-preact.js';
import { formatTimecode } from '../text/times.js';
import { Icon } from '../ui/icons.js';
import { neighbourStart, packRows, percentOf, ruleTicks, secondsAfterKey, secondsAt } from './positions.js';

const ROWS_MAX = 3;
const TICKS_MAX = 10;
const TICK_PERCENT_MAX = 90;
const ROW_HEIGHT = 16;
const LANE_EDGE = 4;

function Ruler({ duration }) {
    // A tick's label is to its right: the last tick has no space for one.
    const ticks = ruleTicks(duration, TICKS_MAX)
        .filter((seconds) => percentOf(seconds, duration) <= TICK_PERCENT_MAX);
    return html`<div class="ruler" aria-hidden="true">
        ${ticks.map((seconds) => html`<span key=${seconds} class="tick"
            style=${{ left: `${percentOf(seconds, duration)}%` }}>${formatTimecode(seconds)}</span>`)}
    </div>`;
}

/** The height of a lane in pixels, from the rows of its spans. */
function laneHeight(rows) {
    return Math.max(1, ...rows.map((row) => row + 1)) * ROW_HEIGHT + 2 * LANE_EDGE + 1;
}

function LaneNames({ lanes }) {
    return html`<div class="lane-names" aria-hidden="true">${lanes.map((lane) => html`<span key=${lane.kind}
        class=${`lane-name lane-name-${lane.kind}`} style=${{ height: `${laneHeight(lane.rows)}px` }}>
        ${lane.title}</span>`)}</div>`;
}

function Lane({ kind, spans, rows, current, duration }) {
    return html`<div class=${`lane lane-${kind}`} style=${{ height: `${laneHeight(rows)}px` }}
            aria-hidden="true">
        ${spans.map((span, index) => html`<span key=${index} title=${span.text}
            class=${`span ${current.includes(index) ? 'span-now' : ''}`}
            style=${{
                left: `${percentOf(span.start, duration)}%`,
                width: `max(3px, ${percentOf(span.end - span.start, duration)}% - 1px)`,
                top: `${rows[index] * ROW_HEIGHT + LANE_EDGE}px`,
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
 * `lanes` are `[{kind, title, spans, current}]`, `current` the indices of the spans at `seconds`; `said` is
 * the text for screen readers at that time; `onSeek` receives the time that the user moves to.
 */
export function Timeline({ duration, seconds, lanes, said, onSeek }) {
    const track = useRef(null);
    const packed = lanes.map((lane) => ({ ...lane, rows: packRows(lane.spans, ROWS_MAX) }));
    const seekTo = (event) => {
        const box = track.current.getBoundingClientRect();
        onSeek(secondsAt(event.clientX - box.left, box.width, duration));
    };
    const startDrag = (event) => {
        if (event.button === 0) {
            track.current.setPointerCapture(event.pointerId);
            event.preventDefault(); // Otherwise the cursor would lose the focus, and arrow keys would not move it.
            track.current.querySelector('[role="slider"]').focus({ preventScroll: true });
            seekTo(event);
        }
    };
    const drag = (event) => track.current.hasPointerCapture(event.pointerId) && seekTo(event);
    const followKey = (event) => {
        const next = secondsAfterKey(event.key, seconds, duration);
        if (next !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            onSeek(next);
        }
    };
    return html`<div class="timeline">
        <div class="timeline-head">
            <${Steps} moments=${lanes[0].spans} seconds=${seconds} onSeek=${onSeek} />
            <p class="clock"><b>${formatTimecode(seconds, true)}</b> of ${formatTimecode(duration, true)}</p>
        </div>
        <div class="timeline-body">
            <${LaneNames} lanes=${packed} />
            <div class="track" ref=${track} onPointerDown=${startDrag} onPointerMove=${drag}>
                <${Ruler} duration=${duration} />
                ${packed.map((lane) => html`<${Lane} key=${lane.kind} kind=${lane.kind} spans=${lane.spans}
                    rows=${lane.rows} current=${lane.current} duration=${duration} />`)}
                <div class="cursor" role="slider" tabindex="0" aria-label="Time in the reel"
                    aria-valuemin="0" aria-valuemax=${duration} aria-valuenow=${seconds}
                    aria-valuetext=${`${formatTimecode(seconds, true)} of ${formatTimecode(duration)}. ${said}`}
                    aria-orientation="horizontal" onKeyDown=${followKey}
                    style=${{ left: `${percentOf(seconds, duration)}%` }}></div>
            </div>
        </div>
    </div>`;
}
