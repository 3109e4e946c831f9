// Fields of forms, with their label, hint and error tied to them.
import { html, useState } from '../htm-preact.js';

let lastNumber = 0;

/** A number of its own for each field, so that ids do not clash. */
function useId() {
    const [id] = useState(() => `field-${lastNumber += 1}`);
    return id;
}

/** An input. `value` and `onValue` hold its text; everything else goes to the element. */
export function Field({ label, hint, error, value, onValue, ...rest }) {
    const id = useId();
    const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <input class="input" id=${id} value=${value} onInput=${(event) => onValue(event.target.value)}
            aria-describedby=${notes || undefined} aria-invalid=${error ? 'true' : undefined} ...${rest} />
        ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
        ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}
    </div>`;
}

/** A field for a password, which can be shown while it is typed. Takes what Field takes. */
export function PasswordField({ label, hint, value, onValue, ...rest }) {
    const id = useId();
    const [isShown, setIsShown] = useState(false);
    return html`<div class="field">
        <label for=${id} id=${`${id}-label`}>${label}</label>
        <div class="password">
            <input class="input" id=${id} value=${value} type=${isShown ? 'text' : 'password'}
                onInput=${(event) => onValue(event.target.value)} autocapitalize="none" spellcheck=${false}
                aria-describedby=${hint ? `${id}-hint` : undefined} ...${rest} />
            <button class="button button-plain button-small" type="button" aria-pressed=${String(isShown)}
                aria-describedby=${`${id}-label`} onClick=${() => setIsShown(!isShown)}>Show</button>
        </div>
        ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>`;
}

/** A row of choices, `options` as `[value, words]`, of which one holds. */
export function Choices({ label, options, value, onValue }) {
    const name = useId();
    return html`<fieldset class="choices">
        <legend class="unseen">${label}</legend>
        ${options.map(([option, words]) => html`<label key=${option}>
            <input type="radio" name=${name} value=${option} checked=${option === value}
                onChange=${() => onValue(option)} />
            ${words}
        </label>`)}
    </fieldset>`;
}

/** A box to tick. */
export function Check({ label, isOn, onValue }) {
    return html`<label class="check">
        <input type="checkbox" checked=${isOn} onChange=${(event) => onValue(event.target.checked)} />
        ${label}
    </label>`;
}

/**
 * What a form needs to send itself: `{isBusy, error, submit, clearError}`. `submit` is for onSubmit and runs
 * `send`, whose rejection becomes `error`; `clearError` is for when what was wrong is being changed.
 */
export function useSubmission(send) {
    const [state, setState] = useState({ isBusy: false, error: null });
    const submit = async (event) => {
        event.preventDefault();
        if (state.isBusy) {
            return;
        }
        setState({ isBusy: true, error: null });
        try {
            await send();
            setState({ isBusy: false, error: null });
        } catch (error) {
            setState({ isBusy: false, error });
        }
    };
    const clearError = () => setState((old) => old.error ? { ...old, error: null } : old);
    return { ...state, submit, clearError };
}
