// The default webhook address, for jobs without their own.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { Field, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';

/** The form for the default address; `onChanged` receives the new settings. */
export function AddressForm({ settings, onChanged }) {
    const [url, setUrl] = useState(settings.url ?? '');
    const address = url.trim();
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        const changed = await change('PUT', '/webhook', { url: address === '' ? null : address });
        setUrl(changed.url ?? '');
        onChanged(changed);
        showToast(changed.url ? 'Webhooks are sent to this address from now on.' : 'Webhooks are no longer sent.');
    });
    const type = (text) => {
        setUrl(text);
        clearError();
    };
    const isUrlWrong = error?.status === 400;
    return html`<form class="inline-form address-form" onSubmit=${submit} noValidate>
        <${Field} label="Address" type="url" inputmode="url" autocomplete="off" spellcheck=${false}
            autocapitalize="none" maxlength="2048" placeholder="https://example.org/reels" value=${url}
            onValue=${type} error=${isUrlWrong ? error.message : null}
            hint="For all reels that are submitted without their own address. Leave it empty to send nothing." />
        <button class="button button-main" type="submit" disabled=${isBusy || address === (settings.url ?? '')}>
            Save</button>
        ${error && !isUrlWrong && html`<${FailureNote} error=${error} />`}
    </form>`;
}
