// Words for statuses, steps and fields. No DOM here: Node tests this file.
import { formatLength } from '../text/times.js';

/** Status of a reel to its word. */
export const STATUS_WORDS = {
    pending: 'Waiting', processing: 'Working', done: 'Done', error: 'Failed',
};

/** The place of a pending reel in the queue, in words; empty if it is unknown. `now` is in milliseconds. */
export function queueWords(reel, now) {
    if (reel.status !== 'pending' || !reel.queue_position) {
        return '';
    }
    const place = `Number ${reel.queue_position} in your queue`;
    if (!reel.expected_start_at) {
        return place;
    }
    const seconds = (Date.parse(reel.expected_start_at) - now) / 1000;
    return seconds < 5 ? `${place}, starts soon` : `${place}, starts in about ${formatLength(seconds)}`;
}

/** Steps of the work, in their order, as `[name, words]`. */
export const STEPS = [
    ['resolve', 'Finding the post'],
    ['download', 'Downloading the video'],
    ['probe', 'Checking the file'],
    ['analyze', 'Analysing'],
    ['publish', 'Saving the result'],
];

/** The words for a step; empty for one that nobody knows. */
export function stepWords(step) {
    return STEPS.find(([name]) => name === step)?.[1] ?? '';
}

const FIELD_WORDS = {
    'audio.transcript': 'Said', 'audio.segments': 'Said', 'visual.text_on_screen': 'On screen',
    'visual.text_segments': 'On screen', 'visual.description': 'Seen', 'visual.setting': 'Setting',
    'visual.subjects': 'In view', 'content.summary': 'Summary', 'content.topics': 'Topics',
    'content.hooks': 'Hook', 'content.call_to_action': 'Call to action',
    'content.key_moments': 'Key moment', 'audio.music_description': 'Music',
    'platform_meta.caption': 'Caption', 'platform_meta.author': 'Author',
    'platform_meta.hashtags': 'Hashtags', 'platform_meta.location': 'Location',
};

/** Where in a result a passage was found, in a word or two. */
export function fieldWords(field) {
    return FIELD_WORDS[field] ?? field.replace(/^.*\./, '').replaceAll('_', ' ');
}
