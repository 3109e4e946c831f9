// Timeline and lists of one result, synchronised by the current time.
import { html, useEffect, useMemo, useRef, useState } from 'htm/preact/standalone';
import { locationStore, noteAddress } from '../core/navigation.js';
import { momentOfFragment } from '../core/routes.js';
import { isAdministrator } from '../core/session.js';
import { useStore } from '../core/store.js';
import { Player, videoAddress } from './player.js';
import { momentSpans, secondsAfterAction, segmentSpans, spansAt } from './positions.js';
import { SpanList } from './span_list.js';
import { hasStills, Still } from './still.js';
import { Timeline } from './timeline.js';

const ADDRESS_MILLISECONDS = 400; // Browsers limit how often the address may change.
const HEADER_HEIGHT = 56;
const MARGIN = 16; // Between a moment that is scrolled into view and the edge.
const VIDEO_TOLERANCE = 0.06; // Seconds; less than the tenth in which the player reports.

/**
 * The time of the page: `[seconds, seek, show]`; `seek` also puts it into the address. `move` moves the video, `reveal`
 * runs when a link of the page leads to a time.
 */
function useSeconds(duration, move, reveal) {
    const place = useStore(locationStore);
    const isFirst = useRef(true);
    const limited = (seconds) => Math.min(duration, Math.max(0, seconds ?? 0));
    const [seconds, setSeconds] = useState(limited(momentOfFragment(place.fragment)));
    const timer = useRef(0);
    const show = (next) => {
        const shown = limited(next);
        // The video shows the next of its pictures, slightly off the time of an entry.
        setSeconds((old) => Math.abs(shown - old) < VIDEO_TOLERANCE ? old : shown);
    };
    useEffect(() => {
        const asked = momentOfFragment(place.fragment);
        if (asked !== null) {
            setSeconds(limited(asked));
            move(limited(asked));
            if (!isFirst.current) {
                reveal();
            }
        }
        isFirst.current = false;
    }, [place]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const seek = (next) => {
        setSeconds(limited(next));
        move(limited(next));
        clearTimeout(timer.current);
        timer.current = setTimeout(
            () => noteAddress(`${location.pathname}#t=${limited(next)}`), ADDRESS_MILLISECONDS);
    };
    return [seconds, seek, show];
}

/**
 * Scrolls the page to the current key moment, unless that would take `from` out of view: the element with which the user
 * has chosen the time.
 */
function showMoment(section, from) {
    const box = section.querySelector('.spans-moment [aria-current="true"]')?.getBoundingClientRect();
    if (!box || matchMedia('(max-width: 800px)').matches) { // There, the lists are below each other.
        return;
    }
    const [top, bottom] = [HEADER_HEIGHT + MARGIN, innerHeight - MARGIN];
    const step = box.bottom > bottom ? box.bottom - bottom : Math.min(0, box.top - top);
    const origin = from.getBoundingClientRect();
    if (origin.top - step >= HEADER_HEIGHT && origin.bottom - step <= innerHeight) {
        scrollBy(0, step);
    }
}

function tracksOf(result) {
    const duration = result.metadata.duration_seconds;
    return [
        { kind: 'moment', title: 'Key moments', none: 'No key moments were found.',
            spans: momentSpans(result.content.key_moments, duration) },
        { kind: 'speech', title: 'Speech', none: 'No speech was recognised.',
            spans: segmentSpans(result.audio.segments) },
        { kind: 'text', title: 'On screen', none: 'There is no on-screen text.',
            spans: segmentSpans(result.visual.text_segments) },
    ];
}

/** Why there is no player. */
function NotKept() {
    return html`<p class="small muted">This server does not keep the video.${isAdministrator() && html`${' '}<a
        href="/docs/operation.html#description/kept-media">Keep videos</a>`}</p>`;
}

/** The section of a reel's page with the timeline, and with the player if the video is kept, otherwise pictures. */
export function Moments({ reel }) {
    const { result } = reel;
    const { duration_seconds: duration, width, height } = result.metadata;
    const bare = useMemo(() => tracksOf(result), [result]);
    const section = useRef(null);
    const video = useRef(null);
    const [seconds, seek, show] = useSeconds(duration, (next) => {
        if (video.current) {
            video.current.currentTime = next;
        }
    }, () => section.current.scrollIntoView());
    const latest = useRef({});
    latest.current = { seconds, seek };
    const act = (action) => {
        const next = secondsAfterAction(action, latest.current.seconds, bare[0].spans, duration);
        if (next !== null) {
            latest.current.seek(next);
            requestAnimationFrame(() => showMoment(section.current, document.activeElement));
        }
    };
    const choose = (next, entry) => {
        seek(next);
        requestAnimationFrame(() => showMoment(section.current, entry)); // Once the entries of that time are marked.
    };
    const tracks = bare.map((track) => ({ ...track, current: spansAt(track.spans, seconds) }));
    const description = tracks.flatMap((track) => track.current.map((index) =>
        `${track.title}: ${track.spans[index].text}`)).join('. ');
    const hasPlayer = videoAddress(reel) !== null;
    const hasPictures = !hasPlayer && hasStills(bare[0].spans);
    const kind = !hasPlayer && !hasPictures ? '' : height > width ? 'moments-side' : 'moments-below';
    return html`<section class=${`moments ${kind}`} ref=${section} aria-label="Timeline">
        ${hasPlayer && html`<${Player} reel=${reel} video=${video} section=${section} seconds=${seconds}
            onTime=${show} onAction=${act} />`}
        ${hasPictures && html`<${Still} spans=${bare[0].spans} seconds=${seconds} metadata=${result.metadata}><${NotKept} /><//>`}
        ${kind === '' && html`<${NotKept} />`}
        <div class="tracks stack">
            <${Timeline} duration=${duration} seconds=${seconds} tracks=${tracks} description=${description} onSeek=${seek} />
            <div class="span-lists">
                ${tracks.map((track) => html`<${SpanList} key=${track.kind} kind=${track.kind} title=${track.title}
                    spans=${track.spans} current=${track.current} none=${track.none} onSeek=${choose} />`)}
            </div>
        </div>
    </section>`;
}
