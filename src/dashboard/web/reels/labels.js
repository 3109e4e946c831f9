// Texts for statuses, steps and fields. No DOM, so that Node can test this file.
import { formatLength } from '../text/times.js';

/** Labels by status. */
export const STATUS_WORDS = {
    pending: 'Waiting', processing: 'Processing', done: 'Done', error: 'Failed',
};

/** The queue position of a pending reel as text; empty if unknown. `now` is in milliseconds. */
export function queueWords(reel, now) {
    if (reel.status !== 'pending' || !reel.queue_position) {
        return '';
    }
    const position = `Position ${reel.queue_position} in your queue`;
    if (!reel.expected_start_at) {
        return position;
    }
    const seconds = (Date.parse(reel.expected_start_at) - now) / 1000;
    return seconds < 5 ? `${position}, starts soon` : `${position}, starts in about ${formatLength(seconds)}`;
}

/** Steps of the work, in order, as `[name, label]`. */
export const STEPS = [
    ['resolve', 'Finding the post'],
    ['download', 'Downloading the video'],
    ['probe', 'Checking the file'],
    ['analyze', 'Analysing'],
    ['publish', 'Saving the analysis'],
];

/** The label of a step; empty for an unknown one. */
export function stepWords(step) {
    return STEPS.find(([name]) => name === step)?.[1] ?? '';
}

const FIELD_WORDS = {
    'audio.transcript': 'Speech', 'audio.segments': 'Speech', 'visual.text_on_screen': 'On screen',
    'visual.text_segments': 'On screen', 'visual.description': 'Description', 'visual.setting': 'Setting',
    'visual.subjects': 'Subjects', 'content.summary': 'Summary', 'content.topics': 'Topics',
    'content.hooks': 'Hook', 'content.call_to_action': 'Call to action',
    'content.key_moments': 'Key moment', 'audio.music_description': 'Music',
    'platform_meta.caption': 'Caption', 'platform_meta.author': 'Author',
    'platform_meta.hashtags': 'Hashtags', 'platform_meta.location': 'Location',
};

/** A short label for the field of a result that contains a passage. */
export function fieldWords(field) {
    return FIELD_WORDS[field] ?? field.replace(/^.*\./, '').replaceAll('_', ' ');
}
