// The default webhook address, for jobs without their own, and the events that it receives.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';

const EVENTS = [['done', 'Reels that are done'], ['error', 'Reels that failed'],
    ['search.matched', 'Matches of saved searches']];

/** The API names the field `url`, and a setting that only the operator can change. */
function addressProblem(message) {
    return message.replace(/^url\b/i, 'The address')
        .replace(/(; http is only for|, or to a private network in) REELSD_WEBHOOK_NETWORKS/,
            '. If it is in a private network, ask the operator of this server to allow it');
}

/** The form for the default address; `onChanged` receives the new settings. */
export function AddressForm({ settings, onChanged }) {
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
    const type = (text) => {
        setUrl(text);
        clearError();
    };
    const choose = (name, isOn) => setEvents(
        EVENTS.map(([event]) => event).filter((event) => event === name ? isOn : events.includes(event)));
    const isUrlWrong = error?.status === 400;
    return html`<form class="inline-form address-form" onSubmit=${submit} noValidate>
        <${Field} label="Address" type="url" inputmode="url" autocomplete="off" spellcheck=${false}
            autocapitalize="none" maxlength="2048" placeholder="https://example.org/reels" value=${url}
            onValue=${type} error=${isUrlWrong ? addressProblem(error.message) : null}
            hint="For all reels that are submitted without their own address. Leave it empty to send nothing." />
        <button class="button button-main" type="submit"
            disabled=${isBusy || isUnchanged || events.length === 0}>Save</button>
        ${address !== '' && html`<fieldset class="events">
            <legend>Send</legend>
            ${EVENTS.map(([event, words]) => html`<${Check} key=${event} label=${words}
                isOn=${events.includes(event)} onValue=${(isOn) => choose(event, isOn)} />`)}
            ${events.length === 0 && html`<p class="field-error" role="alert">Choose at least one.</p>`}
        </fieldset>`}
        ${error && !isUrlWrong && html`<${FailureNote} error=${error} />`}
    </form>`;
}
