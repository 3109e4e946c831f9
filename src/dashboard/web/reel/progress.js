// A reel that is not done: where the work stands, or why it failed.
import { html, useEffect } from '../htm-preact.js';
import { useStep } from '../core/live.js';
import { failureWords, queueWords, STEPS, stepWords } from '../reels/wording.js';
import { announce } from '../ui/announcer.js';
import { Icon } from '../ui/icons.js';

/** The steps of the work, with the one it stands at. */
export function Progress({ reel }) {
    const step = useStep(reel.id);
    const at = STEPS.findIndex(([name]) => name === step);
    useEffect(() => {
        if (step) {
            announce(stepWords(step));
        }
    }, [step]);
    const iconOf = (index) => index < at ? 'done' : index === at ? 'processing' : 'pending';
    return html`<ol class="progress" aria-label="Steps">
        ${STEPS.map(([name, words], index) => html`<li key=${name}
                class=${`status status-${iconOf(index)}`} aria-current=${index === at ? 'step' : undefined}>
            <${Icon} name=${iconOf(index)} more=${index === at ? 'icon-turning' : ''} />${words}
        </li>`)}
    </ol>
    ${reel.attempt > 1 && html`<p class="muted">This is attempt ${reel.attempt}: the one before did not get
        through.</p>`}
    ${reel.status === 'pending' && html`<p class="muted">
        ${queueWords(reel, Date.now()) || 'It waits for its turn'}. This page changes by itself;
        you may also leave it.</p>`}`;
}

/** Why it failed and what one can do; the head of the page has the button for it. */
export function Failure({ reel }) {
    const { title, advice } = failureWords(reel.error_code);
    return html`<div class="note note-fail">
        <${Icon} name="error" />
        <div class="note-body">
            <p><strong>${title}.</strong> ${advice}</p>
            <p class="foreign small">${reel.error} <code>${reel.error_code}</code></p>
        </div>
    </div>`;
}
