// The default webhook address, for reels without their own, and the events that it receives.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { isAdministrator } from '../core/session.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { addressProblem } from './delivery_state.js';
import { TestButton } from './test_button.js';

const EVENTS = [['done', 'Reels that are done'], ['error', 'Reels that failed'],
    ['search.matched', 'Matches of saved searches']];

/** The form for the default address; `onChanged` receives the new settings, `onTested` is called after a test. */
export function AddressForm({ settings, onChanged, onTested }) {
    const [url, setUrl] = useState(settings.url ?? '');
    const [events, setEvents] = useState(settings.events);
    const address = url.trim();
    const isUnchanged = address === (settings.url ?? '') && events.join() === settings.events.join();
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        const changed = await change('PUT', '/webhook', { url: address === '' ? null : address, events });
        setUrl(changed.url ?? '');
        setEvents(changed.events);
        onChanged(changed);
        showToast(changed.url ? 'Webhooks are sent to this address from now on.' : 'Webhooks are no longer sent.');
    });
    const choose = (name, isOn) => setEvents(
        EVENTS.map(([event]) => event).filter((event) => event === name ? isOn : events.includes(event)));
    const isUrlWrong = error?.status === 400;
    return html`<div><form class="inline-form flow address-form" onSubmit=${submit} onInput=${clearError} noValidate>
        <${Field} label="Address" type="url" inputmode="url" autocomplete="off" spellcheck=${false}
            autocapitalize="none" maxlength="2048" placeholder="https://example.org/reels" value=${url}
            onValue=${setUrl} error=${isUrlWrong ? addressProblem(error.message, isAdministrator()) : null}
            hint="For all reels that are submitted without their own address. Leave it empty to send nothing." />
        <button class="button button-main" type="submit"
            disabled=${isBusy || isUnchanged || events.length === 0}>Save</button>
        ${address !== '' && html`<fieldset class="events flow">
            <legend>Send</legend>
            ${EVENTS.map(([event, words]) => html`<${Check} key=${event} label=${words}
                isOn=${events.includes(event)} onValue=${(isOn) => choose(event, isOn)} />`)}
            ${events.length === 0 && html`<p class="field-error" role="alert">Choose at least one.</p>`}
        </fieldset>`}
        ${error && !isUrlWrong && html`<${FailureNote} error=${error} />`}
    </form>
    ${address !== '' && html`<${TestButton} key=${address} url=${address} onSent=${onTested} />`}</div>`;
}
