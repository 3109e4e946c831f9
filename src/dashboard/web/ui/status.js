// The status of a reel as icon, colour and label.
import { html } from 'htm/preact/standalone';
import { useStep } from '../core/live.js';
import { STATUS_WORDS, stepWords } from '../reels/labels.js';
import { Icon } from './icons.js';

/** A state as icon, colour (`kind`: `good`, `idle`, `processing` or `bad`) and words. */
export function State({ kind, icon, words }) {
    return html`<span class=${`status status-${kind}`}><${Icon} name=${icon} />${words}</span>`;
}

/** The status of a reel, with the current step of a running one if known. */
export function Status({ id, status }) {
    const step = useStep(id);
    const words = status === 'processing' && step ? stepWords(step) : '';
    return html`<span class=${`status status-${status}`} title=${words || STATUS_WORDS[status]}>
        <${Icon} name=${status in STATUS_WORDS ? status : 'pending'} />
        ${words || STATUS_WORDS[status] || status}
    </span>`;
}
