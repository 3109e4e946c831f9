// Geometry of a reel's timeline. No DOM, so that Node can test this file.

const TICK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600];

/** A time as a percentage of the duration, 0 to 100. */
export function percentOf(seconds, duration) {
    return duration > 0 ? Math.min(100, Math.max(0, (seconds / duration) * 100)) : 0;
}

/** The time at `x` pixels from the left of a track of `width` pixels, rounded to tenths of a second. */
export function secondsAt(x, width, duration) {
    const share = width > 0 ? Math.min(1, Math.max(0, x / width)) : 0;
    return Math.round(share * duration * 10) / 10;
}

/** Evenly spaced whole-second times for the ruler, at most `count` intervals. */
export function ruleTicks(duration, count) {
    const step = TICK_STEPS.find((one) => duration / one <= count) ?? TICK_STEPS.at(-1);
    const ticks = [];
    for (let seconds = 0; seconds <= duration; seconds += step) {
        ticks.push(seconds);
    }
    return ticks;
}

/** Key moments `{seconds, description, frame}` as spans `{start, end, text, frame}`; each ends at the next one. */
export function momentSpans(moments, duration) {
    return moments.map((moment, index) => ({
        start: moment.seconds,
        end: moments[index + 1]?.seconds ?? Math.max(duration, moment.seconds),
        text: moment.description,
        frame: moment.frame,
    }));
}

/** Segments of a result `{start_seconds, end_seconds, text}` as spans. */
export function segmentSpans(segments) {
    return segments.map((one) => ({
        start: one.start_seconds, end: one.end_seconds, text: one.text,
    }));
}

/** The indices of the spans at a time. A span of zero length lasts a tenth of a second. */
export function spansAt(spans, seconds) {
    const found = [];
    spans.forEach(({ start, end }, index) => {
        if (seconds >= start && seconds < Math.max(end, start + 0.1)) {
            found.push(index);
        }
    });
    return found;
}

/**
 * Assigns overlapping spans to rows. Returns the row of each span, from 0 to `rowsMax - 1`; spans without
 * a free row share the last.
 */
export function packRows(spans, rowsMax) {
    const rowEnds = [];
    return spans.map(({ start, end }) => {
        const free = rowEnds.findIndex((rowEnd) => rowEnd <= start);
        let row = free >= 0 ? free : rowEnds.length;
        row = Math.min(row, rowsMax - 1);
        rowEnds[row] = Math.max(rowEnds[row] ?? 0, end);
        return row;
    });
}

/** The time where the next span begins after `seconds` (or, with -1, before it), or null. */
export function neighbourStart(spans, seconds, direction) {
    const starts = spans.map(({ start }) => start).sort((one, other) => one - other);
    const found = direction > 0
        ? starts.find((start) => start > seconds + 0.05)
        : starts.findLast((start) => start < seconds - 0.05);
    return found ?? null;
}

/** The time in seconds to which a key moves the cursor, or null for other keys. */
export function secondsAfterKey(key, seconds, duration) {
    const steps = {
        ArrowLeft: -0.5, ArrowDown: -0.5, ArrowRight: 0.5, ArrowUp: 0.5, PageDown: -5, PageUp: 5,
    };
    if (key === 'Home') {
        return 0;
    }
    if (key === 'End') {
        return duration;
    }
    if (!(key in steps)) {
        return null;
    }
    return Math.min(duration, Math.max(0, Math.round((seconds + steps[key]) * 10) / 10));
}

const KEY_SECONDS = 2;

const PLAYER_ACTIONS = {
    ' ': { type: 'toggle' },
    ArrowLeft: { type: 'move', seconds: -KEY_SECONDS }, ArrowRight: { type: 'move', seconds: KEY_SECONDS },
    ArrowUp: { type: 'moment', direction: -1 }, ArrowDown: { type: 'moment', direction: 1 },
};

/** What a key does to the player: `{type: 'toggle'}`, `{type: 'move', seconds}`, `{type: 'moment', direction}` or null. */
export function playerAction(key) {
    return PLAYER_ACTIONS[key] ?? null;
}

/** The time after an action that moves from `seconds`, within the duration; null without a further moment. */
export function secondsAfterAction(action, seconds, moments, duration) {
    const next = action.type === 'move' ? seconds + action.seconds
        : neighbourStart(moments, seconds, action.direction);
    return next === null ? null : Math.min(duration, Math.max(0, Math.round(next * 1000) / 1000));
}
