// A test of the address, also before it is saved: sends a sample and shows the answer.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { isAdministrator } from '../core/session.js';
import { useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { addressProblem, answerWords, tookWords } from './delivery_state.js';

function Answer({ outcome }) {
    const took = tookWords(outcome);
    return html`<p class=${outcome.delivered ? '' : 'field-error foreign'}>${outcome.delivered
            ? `Delivered: answered ${outcome.status_code} in ${took}.` : `Not delivered after ${took}. ${answerWords(outcome, isAdministrator())}`}</p>
        ${outcome.body && html`<pre class="code foreign answer-body" tabindex="0" aria-label="The answer"
            >${outcome.body}</pre>`}`;
}

/** The button that sends a test to `url`, and its outcome; `onSent` is called when it has ended. */
export function TestButton({ url, onSent }) {
    const [outcome, setOutcome] = useState(null);
    const { isBusy, error, submit } = useSubmission(async () => {
        setOutcome(null);
        setOutcome(await change('POST', '/webhook/test', { url }));
        onSent();
    });
    return html`<section class="section stack" aria-labelledby="test">
        <div class="section-head flow"><h2 id="test">Test</h2></div>
        <p class="lead">Sends a sample reel with the type <code>webhook.test</code>, signed like all requests. The
            address need not be saved.</p>
        <div class="flow">
            <button class="button" type="button" disabled=${isBusy} onClick=${submit}>
                ${isBusy ? 'Sending…' : 'Send a test'}</button>
        </div>
        <div class="stack" role="status">${outcome && html`<${Answer} outcome=${outcome} />`}</div>
        ${error && (error.status === 400
            ? html`<p class="field-error foreign" role="alert">${addressProblem(error.message, isAdministrator())}</p>`
            : html`<${FailureNote} error=${error} />`)}
    </section>`;
}
