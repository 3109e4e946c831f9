// Where a link is pasted to have its reel analysed.
import { html, useState } from '../htm-preact.js';
import { change } from '../core/api.js';
import { completeLink } from '../reel/links.js';
import { announce } from '../ui/announcer.js';
import { Check, useProblem, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { putReel } from './list.js';

/** Submits a link; resolves to the new reel as far as it is known. */
export async function submitLink(url, isFresh) {
    const body = isFresh ? { url, fresh: true } : { url };
    const { id, status } = await change('POST', '/reels/analyze', body);
    const reel = { id, url, status, created_at: new Date().toISOString() };
    putReel(reel);
    return reel;
}

/** Says that a reel was submitted, and where it is unless the list shows it. */
export function confirmSubmission(reel, isListed) {
    if (isListed) {
        announce('Submitted. The reel is at the top of the list.');
    } else {
        showToast('Submitted', { link: { label: 'Show the reel', address: `/reels/${reel.id}` } });
    }
}

/**
 * The box; what goes wrong is said below it. `isListed` tells whether the list below shows a new reel,
 * `link` what is filled in at first.
 */
export function SubmitBox({ isListed, link }) {
    const [url, setUrl] = useState(link);
    const [isFresh, setIsFresh] = useState(false);
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        const reel = await submitLink(completeLink(url), isFresh);
        setUrl('');
        setIsFresh(false);
        confirmSubmission(reel, isListed);
    });
    const type = (text) => {
        setUrl(text);
        clearError();
    };
    const [problem, checked] = useProblem(url);
    const refusal = problem ?? (error?.status === 400 ? error.message : null);
    return html`<form class="submit" onSubmit=${submit} noValidate>
        <label class="label" for="submit-url">Analyse a reel</label>
        <div class="submit-line">
            <input class="input" id="submit-url" type="text" inputmode="url" autocomplete="off"
                spellcheck=${false} required placeholder="Paste an instagram.com/reel/… link" value=${url}
                onInput=${(event) => type(event.target.value)}
                aria-invalid=${refusal ? 'true' : undefined}
                aria-describedby=${refusal ? 'submit-error' : undefined} ...${checked} />
            <button class="button button-main" type="submit" disabled=${isBusy}>
                ${isBusy ? 'Submitting…' : 'Analyse'}</button>
        </div>
        ${refusal && html`<p class="field-error foreign" id="submit-error" role="alert">${refusal}</p>`}
        ${error && !refusal && html`<${FailureNote} error=${error} />`}
        <${Check} label="Analyse again, even if done within a day" isOn=${isFresh}
            onValue=${setIsFresh} />
    </form>`;
}
