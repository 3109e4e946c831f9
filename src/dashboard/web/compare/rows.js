// What two analyses of a post are compared by. No DOM, so that Node can test this file.
import { labelOf, textOf } from '../extract/labels.js';
import { formatTimecode } from '../text/times.js';
import { listDifference, textDifference } from './diff.js';

function timed(entries, textOf) {
    return entries.map((entry) => `${formatTimecode(entry.seconds ?? entry.start_seconds)} ${textOf(entry)}`);
}

// Label, kind, value. Facts that are measured from the file or reported by the platform are the same for both.
const FIELDS = [
    ['Summary', 'text', ({ content }) => content.summary],
    ['Key moments', 'list', ({ content }) => timed(content.key_moments, (moment) => moment.description)],
    ['Topics', 'list', ({ content }) => content.topics],
    ['Hooks', 'list', ({ content }) => content.hooks],
    ['Call to action', 'text', ({ content }) => content.call_to_action],
    ['Description', 'text', ({ visual }) => visual.description],
    ['Setting', 'text', ({ visual }) => visual.setting],
    ['Subjects', 'list', ({ visual }) => visual.subjects],
    ['On-screen text', 'list', ({ visual }) => visual.text_on_screen],
    ['Transcript', 'text', ({ audio }) => audio.transcript],
    ['Language', 'text', ({ audio }) => audio.language],
    ['Music', 'text', ({ audio }) => audio.has_music ? audio.music_description || 'yes' : 'none'],
    ['Format', 'text', ({ metadata }) => metadata.format],
    ['Sentiment', 'text', ({ metadata }) => metadata.sentiment],
    ['Audience', 'text', ({ metadata }) => metadata.target_audience],
    ['Warnings', 'list', ({ metadata }) => metadata.warnings],
];

const isLeaf = (value) => value === null || typeof value !== 'object';

/** An entry of a list in one line: `Boil the noodles. (minutes: 8)`; empty without values. */
function entryText(entry) {
    const [first, ...others] = Object.entries(entry).filter(([, member]) => member !== null && member !== '');
    const more = others.map(([name, member]) => `${labelOf(name).toLowerCase()}: ${textOf(member)}`).join(', ');
    return first === undefined ? '' : textOf(first[1]) + (more && ` (${more})`);
}

/** The leaves of an extracted value as `label: text`; an entry of a list is one leaf. */
function leavesOf(value, label = '') {
    if (Array.isArray(value)) {
        return value.flatMap((entry) => !isLeaf(entry) && Object.values(entry).every(isLeaf)
            ? leavesOf(entryText(entry), label) : leavesOf(entry, label));
    }
    if (value !== null && typeof value === 'object') {
        return Object.entries(value).flatMap(([name, member]) =>
            leavesOf(member, label === '' ? labelOf(name) : `${label}, ${labelOf(name).toLowerCase()}`));
    }
    return value === null || value === '' ? [] : [`${label}: ${textOf(value)}`];
}

function rowOf(label, kind, left, right) {
    const sides = kind === 'list' ? listDifference(left, right) : textDifference(left ?? '', right ?? '');
    return { label, kind, sides, isSame: sides.every((side) => side.every((part) => !part.isMarked)) };
}

/**
 * The rows of the comparison of two done reels: `[{label, kind, sides, isSame}]`. `kind` is `text` or `list`; each of the
 * two `sides` is `[{text, isMarked}]`, the parts of the text or the entries of the list.
 */
export function comparisonRows(left, right) {
    const rows = FIELDS.map(([label, kind, read]) => rowOf(label, kind, read(left.result), read(right.result)));
    const extracts = [left, right].map((reel) => leavesOf(reel.extract ?? {}));
    if (extracts.some((leaves) => leaves.length > 0)) {
        rows.push(rowOf('Extracted', 'list', ...extracts));
    }
    return rows.filter(({ sides }) => sides.some((side) => side.length > 0));
}
