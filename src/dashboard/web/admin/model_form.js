// The form of the remote model that the server uses.
import { html, useState } from 'htm/preact/standalone';
import { change, get } from '../core/api.js';
import { loadSession } from '../core/session.js';
import { Confirm } from '../ui/dialog.js';
import { Choices, Field, PasswordField, SelectField, useSubmission } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote, Skeleton } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';
import { bodyOf, initialFields, keptKey } from './model_fields.js';
import { wordsForFailure } from './model_failure.js';

const PROVIDERS = [['gemini', 'Gemini'], ['openai', 'OpenAI-compatible']];
const MODES = [
    ['video+audio', 'Video and sound'], ['video', 'Video without sound'],
    ['frames+audio', 'Pictures and sound'], ['frames', 'Pictures; this server transcribes'],
];

/** A field whose value the operator's settings may fix. */
function SettingField({ setting, value, hint, ...rest }) {
    return setting.is_fixed
        ? html`<${Field} ...${rest} value=${setting.value} readonly onValue=${() => {}}
            hint="Set by the server's environment, a flag or the configuration file." />`
        : html`<${Field} ...${rest} value=${value} hint=${hint} placeholder=${setting.value} />`;
}

function keyHint(key) {
    return key && html`Set on <${Time} value=${key.set_at} isAge=${false} />${key.ends_with && `, ends in ${key.ends_with}`}.
        Leave this empty to keep it.`;
}

/** The result of a test: `{error}`, or null before the first one. */
function TestResult({ result, provider }) {
    const error = result?.error;
    return html`<div role="status">
        ${result && html`<p class=${`status ${error ? 'status-error' : 'status-done'}`}>
            <${Icon} name=${error ? 'error' : 'done'} />
            <span>${error ? wordsForFailure(error, provider) : 'Address, key and model are right.'}</span></p>`}
        ${error && html`<details class="small muted"><summary>Details</summary><p class="foreign">${error}</p></details>`}
    </div>`;
}

function Form({ view, onSaved }) {
    const { stored } = view;
    const [fields, setFields] = useState(() => initialFields(view));
    const [tested, setTested] = useState(null);
    const [isRemoving, setIsRemoving] = useState(false);
    const saving = useSubmission(async () => {
        onSaved(await change('PUT', '/admin/model', bodyOf(fields, stored)));
        showToast('Saved. All daemons use this model within 5 seconds.');
        setFields((old) => ({ ...old, key: '' }));
        loadSession();
    });
    const testing = useSubmission(async () => {
        setTested(null);
        setTested(await change('POST', '/admin/model/check', bodyOf(fields, stored)));
    });
    const set = (name) => (value) => {
        setFields((old) => ({ ...old, [name]: value }));
        setTested(null);
        saving.clearError();
        testing.clearError();
    };
    const settings = view.providers[fields.provider];
    const isGemini = fields.provider === 'gemini';
    const key = keptKey(fields, stored);
    const error = saving.error ?? testing.error;
    const remove = async () => {
        await change('DELETE', '/admin/model');
        onSaved(await get('/admin/model'));
        setFields((old) => ({ ...old, key: '' }));
        showToast('Removed. New reels are analysed by this server.');
        loadSession();
    };
    return html`<form class="stack form-narrow" onSubmit=${saving.submit} noValidate>
        <${Choices} label="Provider" options=${PROVIDERS} value=${fields.provider} onValue=${set('provider')} />
        <${SettingField} label="Address" setting=${settings.url} inputmode="url" autocomplete="off" maxlength="500"
            value=${fields.url} onValue=${set('url')}
            hint=${isGemini ? null : 'Without /v1. A server on this machine is allowed, such as http://127.0.0.1:8000.'} />
        <${SettingField} label="Model" setting=${settings.model} autocomplete="off" maxlength="500"
            required=${!isGemini && !settings.model.is_fixed} value=${fields.model} onValue=${set('model')} />
        ${settings.mode && (settings.mode.is_fixed
            ? html`<${SettingField} label="Sent to the model" setting=${settings.mode} />`
            : html`<${SelectField} label="Sent to the model" options=${MODES} value=${fields.mode || settings.mode.value}
                onValue=${set('mode')} hint="What the model accepts. OpenAI’s own models accept pictures." />`)}
        <${PasswordField} label="API key" autocomplete="off" maxlength="512" required=${isGemini && !key}
            value=${fields.key} onValue=${set('key')}
            hint=${keyHint(key) ?? (isGemini
                ? html`From <a href="https://aistudio.google.com/apikey" rel="noreferrer" target="_blank">Google AI Studio</a>.`
                : 'Leave this empty for a server that needs none.')} />
        <details class="stack" open=${Boolean(stored?.input_price)}>
            <summary>Price (optional)</summary>
            <p class="field-hint">In US dollars per million tokens. Without it, the table of known prices applies;
                the cost of other models is unknown.</p>
            <${Field} label="Input" inputmode="decimal" autocomplete="off" maxlength="20" value=${fields.input}
                onValue=${set('input')} />
            <${Field} label="Output" inputmode="decimal" autocomplete="off" maxlength="20" value=${fields.output}
                onValue=${set('output')} />
        </details>
        <${TestResult} result=${tested} provider=${fields.provider} />
        ${error && html`<${FailureNote} error=${error} />`}
        <div class="flow">
            <button class="button button-main" type="submit" disabled=${saving.isBusy}>Save</button>
            <button class="button" type="button" disabled=${testing.isBusy} onClick=${testing.submit}>Test</button>
            ${view.source === 'stored' && html`<button class="button button-danger" type="button"
                onClick=${() => setIsRemoving(true)}>Remove</button>`}
        </div>
        <p class="small muted">The test costs nothing. The key is stored encrypted and is never shown again.</p>
    </form>
    ${isRemoving && html`<${Confirm} title="Remove the model?" label="Remove" run=${remove}
        onClose=${() => setIsRemoving(false)}>New reels are then analysed without a model. Stored analyses are kept.<//>`}`;
}

/** The form, or why it cannot be used. */
export function ModelForm() {
    const { data, error, reload, setData } = useLoading((signal) => get('/admin/model', signal), []);
    if (!data) {
        return error ? html`<${FailureNote} error=${error} onRetry=${reload} />` : html`<${Skeleton} count=${1} />`;
    }
    if (data.source === 'settings') {
        return html`<p class="padded muted">The server's environment, a flag or the configuration file chooses the
            analyzer. To choose a model here, remove <code>analyzer</code> and the API keys from those${' '}
            <a href="/docs/operation.html#description/models-setup-cost-privacy">settings</a>. To test it, run${' '}
            <code>reelsd doctor</code> on the server.</p>`;
    }
    return html`<div class="padded stack">
        ${data.problem && html`<div class="note note-warn"><${Icon} name="warning" />
            <p class="note-body foreign">${data.problem}</p></div>`}
        ${!data.stored && !data.problem && html`<p>A model names what the pictures show, describes the setting, and
            answers questions. Videos are then sent to its provider.</p>`}
        <${Form} key=${data.stored?.provider ?? ''} view=${data} onSaved=${setData} />
    </div>`;
}
