// Form fields with their label, hint and error.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';

let lastNumber = 0;

/** A unique number per field, for ids. */
function useId() {
    const [id] = useState(() => `field-${lastNumber += 1}`);
    return id;
}

/** ARIA attributes that link a field to its hint and error. */
function describedBy(id, hint, error) {
    const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
    return { 'aria-describedby': notes || undefined, 'aria-invalid': error ? 'true' : undefined };
}

function Notes({ id, hint, error }) {
    return html`
        ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
        ${error && html`<p class="field-error foreign" id=${`${id}-error`}>${error}</p>`}`;
}

/** The validation error of an input's value, or null. Replaces the browser's own messages. */
function problemOf(input) {
    if (input.required && input.value.trim() === '') {
        return 'This field is required.';
    }
    if (input.minLength > 0 && input.value.length < input.minLength) {
        return `At least ${input.minLength} characters.`;
    }
    return input.validity.typeMismatch && input.type === 'email'
        ? 'Enter an address such as name@example.org.' : null;
}

/** The error of an input at submission, until `value` changes, and props for the input. */
export function useProblem(value) {
    const [problem, setProblem] = useState(null);
    useEffect(() => setProblem(null), [value]);
    return [problem, { onInvalid: (event) => setProblem(problemOf(event.target)) }];
}

/** A text input. `value` and `onValue` control it; other props are passed to the element. */
export function Field({ label, hint, error: serverError, value, onValue, ...rest }) {
    const id = useId();
    const [problem, checked] = useProblem(value);
    const error = problem ?? serverError;
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <input class="input" id=${id} value=${value} onInput=${(event) => onValue(event.target.value)}
            ...${describedBy(id, hint, error)} ...${checked} ...${rest} />
        <${Notes} id=${id} hint=${hint} error=${error} />
    </div>`;
}

/** A text area. Same props as Field; `isCode` uses the typewriter font. */
export function TextField({ label, hint, error, value, onValue, isCode = false, ...rest }) {
    const id = useId();
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <textarea class=${`input input-area ${isCode ? 'code' : ''}`} id=${id} value=${value} spellcheck=${!isCode}
            onInput=${(event) => onValue(event.target.value)} ...${describedBy(id, hint, error)} ...${rest}></textarea>
        <${Notes} id=${id} hint=${hint} error=${error} />
    </div>`;
}

/** A selection; `options` are `[value, label]`. */
export function SelectField({ label, hint, error, value, onValue, options }) {
    const id = useId();
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <select class="input" id=${id} value=${value} onChange=${(event) => onValue(event.target.value)}
            ...${describedBy(id, hint, error)}>
            ${options.map(([option, words]) => html`<option key=${option} value=${option}>${words}</option>`)}
        </select>
        <${Notes} id=${id} hint=${hint} error=${error} />
    </div>`;
}

/** A password field with a button to show it. Same props as Field. */
export function PasswordField({ label, hint, error: serverError, value, onValue, ...rest }) {
    const id = useId();
    const [problem, checked] = useProblem(value);
    const error = problem ?? serverError;
    const shownHint = problem ? null : hint; // The problem says the same.
    const [isShown, setIsShown] = useState(false);
    return html`<div class="field">
        <label for=${id} id=${`${id}-label`}>${label}</label>
        <div class="password">
            <input class="input" id=${id} value=${value} type=${isShown ? 'text' : 'password'}
                onInput=${(event) => onValue(event.target.value)} autocapitalize="none" spellcheck=${false}
                ...${describedBy(id, shownHint, error)} ...${checked} ...${rest} />
            <button class="button button-plain button-small" type="button" aria-pressed=${String(isShown)}
                aria-describedby=${`${id}-label`} onClick=${() => setIsShown(!isShown)}>Show</button>
        </div>
        <${Notes} id=${id} hint=${shownHint} error=${error} />
    </div>`;
}

/** A group of radio buttons; `options` are `[value, label]`. */
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

/** A checkbox. */
export function Check({ label, isOn, onValue }) {
    return html`<label class="check">
        <input type="checkbox" checked=${isOn} onChange=${(event) => onValue(event.target.checked)} />
        ${label}
    </label>`;
}

/** Shows the errors of a form's fields and focuses the first invalid one. Returns whether all are valid. */
function checkFields(form) {
    const wrong = [...form.elements].filter((one) => one.willValidate && problemOf(one) !== null);
    wrong.forEach((one) => one.dispatchEvent(new Event('invalid')));
    wrong[0]?.focus();
    return wrong.length === 0;
}

/**
 * The state of a form's submission: `{isBusy, error, submit, clearError}`. Use `submit` as onSubmit of a form
 * with noValidate, or as onClick of a button. It runs `send` unless a field is invalid. A rejection becomes
 * `error`, and the invalid field gets the focus. Call `clearError` when the user edits the form.
 */
export function useSubmission(send) {
    const [state, setState] = useState({ isBusy: false, error: null });
    const sender = useRef(null);
    useEffect(() => {
        if (state.error) {
            sender.current.querySelector('[aria-invalid="true"]')?.focus();
        }
    }, [state.error]);
    const submit = async (event) => {
        event.preventDefault();
        sender.current = event.currentTarget;
        if (state.isBusy || (sender.current.elements && !checkFields(sender.current))) {
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
