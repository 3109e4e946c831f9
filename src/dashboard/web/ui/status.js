// The status of a reel as icon, colour and label.
import { html } from 'htm/preact/standalone';
import { useStep } from '../core/live.js';
import { STATUS_WORDS, stepWords } from '../reels/labels.js';
import { Icon } from './icons.js';

/** A state as icon and colour (`kind`: `pending`, `processing`, `done` or `error`), and words. */
export function State({ kind, words, title }) {
    return html`<span class=${`status status-${kind}`} title=${title}><${Icon} name=${kind} />${words}</span>`;
}

/** The status of a reel, with the current step of a running one if known. */
export function Status({ id, status }) {
    const step = useStep(id);
    const words = (status === 'processing' && step ? stepWords(step) : '') || STATUS_WORDS[status];
    const kind = status in STATUS_WORDS ? status : 'pending';
    return html`<${State} kind=${kind} title=${words} words=${words || status} />`;
}
