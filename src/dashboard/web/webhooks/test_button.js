// A test of the address: sends a sample and shows the answer.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { answerWords } from './delivery_state.js';

function Answer({ outcome }) {
    const took = `${outcome.seconds.toFixed(2)} s`;
    return html`<p class=${outcome.delivered ? '' : 'field-error foreign'}>${outcome.delivered
            ? `Delivered: answered ${outcome.status_code} in ${took}.` : `Not delivered after ${took}. ${answerWords(outcome)}`}</p>
        ${outcome.body && html`<pre class="code foreign answer-body" tabindex="0" aria-label="The answer"
            >${outcome.body}</pre>`}`;
}

/** The button that sends a test to the saved address, and its outcome; `onSent` is called when it has ended. */
export function TestButton({ onSent }) {
    const [outcome, setOutcome] = useState(null);
    const { isBusy, error, submit } = useSubmission(async () => {
        setOutcome(null);
        setOutcome(await change('POST', '/webhook/test', {}));
        onSent();
    });
    return html`<section class="section stack" aria-labelledby="test">
        <div class="section-head"><h2 id="test">Test</h2></div>
        <p class="lead">Sends a sample reel with the type <code>webhook.test</code>, signed like all requests.</p>
        <div class="actions actions-start">
            <button class="button" type="button" disabled=${isBusy} onClick=${submit}>
                ${isBusy ? 'Sending…' : 'Send a test'}</button>
        </div>
        <div class="stack" role="status">${outcome && html`<${Answer} outcome=${outcome} />`}</div>
        ${error && html`<${FailureNote} error=${error} />`}
    </section>`;
}
