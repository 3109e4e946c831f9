// An unfinished reel: its progress, or why it failed.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { useStep } from '../core/live.js';
import { pathWithQuery } from '../core/routes.js';
import { usualSeconds } from '../reels/durations.js';
import { queueWords, STEPS, stepWords } from '../reels/labels.js';
import { formatLength } from '../text/times.js';
import { announce } from '../ui/announcer.js';
import { Elapsed } from '../ui/elapsed.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { useCountdown } from '../ui/notes.js';
import { canBeAgain } from './again_dialog.js';
import { remedyFor, retryWait, uploadOffer } from './retry.js';

const LATEST = 20; // Some may be copies, which say nothing about the time.

/** The running time, next to that of the account's latest analyses. */
function RunningTime({ start }) {
    const { data } = useLoading((signal) => get(pathWithQuery('/reels', { status: 'done', limit: LATEST }), signal), []);
    return html`<p class="muted">Running <${Elapsed} start=${start} usual=${usualSeconds(data ?? [])} />.</p>`;
}

/** The steps of the work, with the current one marked. */
export function Progress({ reel }) {
    const step = useStep(reel.id);
    const at = STEPS.findIndex(([name]) => name === step);
    useEffect(() => {
        if (step) {
            announce(stepWords(step));
        }
    }, [step]);
    const iconOf = (index) => index < at ? 'done' : index === at ? 'processing' : 'pending';
    return html`<ol class="progress flow" aria-label="Steps">
        ${STEPS.map(([name, words], index) => html`<li key=${name}
                class=${`status status-${iconOf(index)}`} aria-current=${index === at ? 'step' : undefined}>
            <${Icon} name=${iconOf(index)} />${words}
        </li>`)}
    </ol>
    ${reel.status === 'processing' && reel.started_at && html`<${RunningTime} start=${reel.started_at} />`}
    ${reel.attempt > 1 && html`<p class="muted">This is attempt ${reel.attempt}: the previous one
        failed.</p>`}
    ${reel.status === 'pending' && html`<p class="muted">
        ${queueWords(reel, Date.now()) || 'Waiting for a worker'}. This page updates automatically;
        you can leave it.</p>`}`;
}

/** The code of a failed reel, with a link to what it means and what to do. */
export function ErrorCode({ code }) {
    return html`<a href="/docs/#description/codes-of-failed-reels"><code>${code}</code></a>`;
}

/** The job's error text, and what the user can do; `onAgain` opens the dialog of another analysis. */
export function Failure({ reel, isAdmin, isBusy, onRetry, onAgain }) {
    const isAgain = canBeAgain(reel);
    const [wait] = useState(() => retryWait(reel, Date.now()));
    const left = useCountdown(wait ?? 0, reel.id);
    const upload = uploadOffer(reel);
    const remedy = remedyFor(reel, isAdmin);
    return html`<div class="note note-fail">
        <${Icon} name="error" />
        <div class="note-body">
            <p class="foreign">${reel.error} <${ErrorCode} code=${reel.error_code} /></p>
            ${remedy && html`<p>${remedy}</p>`}
            ${isAdmin && reel.error_code === 'model_failed' && html`<p><a href="/admin?tab=models">Check the model</a></p>`}
            ${left > 0 && html`<p class="small">You can try again in ${formatLength(left)}.</p>`}
            ${(wait !== null || isAgain || upload) && html`<div class="flow">
                ${wait !== null && html`<button class="button" type="button" disabled=${isBusy || left > 0}
                    onClick=${onRetry}><${Icon} name="again" />Try again</button>`}
                ${isAgain && html`<button class="button" type="button" onClick=${onAgain}><${Icon} name="again" />Analyse again</button>`}
                ${upload && html`<a class="button" href=${upload.path}>${upload.label}</a>`}
            </div>`}
        </div>
    </div>`;
}
