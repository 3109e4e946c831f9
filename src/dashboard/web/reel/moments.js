// Timeline and lists of one result, synchronised by the current time.
import { html, useEffect, useMemo, useRef, useState } from '../htm-preact.js';
import { locationStore, noteAddress } from '../core/navigation.js';
import { momentOfFragment } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { momentSpans, segmentSpans, spansAt } from './positions.js';
import { SpanList } from './span_list.js';
import { Timeline } from './timeline.js';

const ADDRESS_MILLISECONDS = 400; // Browsers limit how often the address may change.

function useSeconds(duration) {
    const place = useStore(locationStore);
    const limited = (seconds) => Math.min(duration, Math.max(0, seconds ?? 0));
    const [seconds, setSeconds] = useState(limited(momentOfFragment(place.fragment)));
    const timer = useRef(0);
    useEffect(() => {
        const asked = momentOfFragment(place.fragment);
        if (asked !== null) {
            setSeconds(limited(asked));
        }
    }, [place.fragment]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const seek = (next) => {
        setSeconds(limited(next));
        clearTimeout(timer.current);
        timer.current = setTimeout(
            () => noteAddress(`${location.pathname}#t=${limited(next)}`), ADDRESS_MILLISECONDS);
    };
    return [seconds, seek];
}

function lanesOf(result) {
    const duration = result.metadata.duration_seconds;
    return [
        { kind: 'moment', title: 'Moments', none: 'No key moments were found.',
            spans: momentSpans(result.content.key_moments, duration) },
        { kind: 'said', title: 'Said', none: 'No speech.',
            spans: segmentSpans(result.audio.segments) },
        { kind: 'seen', title: 'On screen', none: 'There is no on-screen text.',
            spans: segmentSpans(result.visual.text_segments) },
    ];
}

/** The section of a reel's page with the timeline. */
export function Moments({ result }) {
    const duration = result.metadata.duration_seconds;
    const bare = useMemo(() => lanesOf(result), [result]);
    const [seconds, seek] = useSeconds(duration);
    const lanes = bare.map((lane) => ({ ...lane, current: spansAt(lane.spans, seconds) }));
    const said = lanes.flatMap((lane) => lane.current.map((index) =>
        `${lane.title}: ${lane.spans[index].text}`)).join('. ');
    return html`<section class="moments" aria-label="Timeline">
        <${Timeline} duration=${duration} seconds=${seconds} lanes=${lanes} said=${said} onSeek=${seek} />
        <div class="span-lists">
            ${lanes.map((lane) => html`<${SpanList} key=${lane.kind} kind=${lane.kind} title=${lane.title}
                spans=${lane.spans} current=${lane.current} none=${lane.none} onSeek=${seek} />`)}
        </div>
    </section>`;
}
