// Form fields with their label, hint and error.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';

let lastNumber = 0;

/** A unique number per field, for ids. */
function useId() {
    const [id] = useState(() => `field-${lastNumber += 1}`);
    return id;
}

/** The label, hint and error of an input, which `children` contains. */
function Labelled({ id, label, hint, error, children }) {
    return html`<div class="field">
        <label for=${id} id=${`${id}-label`}>${label}</label>
        ${children}
        ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
        ${error && html`<p class="field-error foreign" id=${`${id}-error`}>${error}</p>`}
    </div>`;
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

/** Props of Labelled and its input. A problem of the value replaces the server's error, and a hint that it repeats. */
function useField({ label, hint: usualHint, error: serverError, value, onValue, repeatsHint }) {
    const id = useId();
    const [problem, checked] = useProblem(value);
    const error = problem ?? serverError;
    const hint = problem && repeatsHint ? null : usualHint;
    const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
    const input = {
        id, value, onInput: (event) => onValue(event.target.value), ...checked,
        'aria-describedby': notes || undefined, 'aria-invalid': error ? 'true' : undefined,
    };
    return { labelled: { id, label, hint, error }, input };
}

/** A text input. `value` and `onValue` control it; other props are passed to the element. */
export function Field({ label, hint, error, value, onValue, ...rest }) {
    const { labelled, input } = useField({ label, hint, error, value, onValue });
    return html`<${Labelled} ...${labelled}><input class="input" ...${input} ...${rest} /><//>`;
}

/** A text area. Same props as Field; `isCode` uses the typewriter font. */
export function TextField({ label, hint, error, value, onValue, isCode = false, ...rest }) {
    const { labelled, input } = useField({ label, hint, error, value, onValue });
    return html`<${Labelled} ...${labelled}><textarea class=${`input input-area ${isCode ? 'code' : ''}`}
        spellcheck=${!isCode} ...${input} ...${rest}></textarea><//>`;
}

/** A selection; `options` are `[value, label]`. */
export function SelectField({ options, ...rest }) {
    const { labelled, input } = useField(rest);
    return html`<${Labelled} ...${labelled}><select class="input" ...${input}>
        ${options.map(([option, words]) => html`<option key=${option} value=${option}>${words}</option>`)}
    </select><//>`;
}

/** A password field with a button to show it. Same props as Field. */
export function PasswordField({ label, hint, error, value, onValue, ...rest }) {
    const { labelled, input } = useField({ label, hint, error, value, onValue, repeatsHint: true });
    const [isShown, setIsShown] = useState(false);
    return html`<${Labelled} ...${labelled}><div class="password">
        <input class="input" type=${isShown ? 'text' : 'password'} autocapitalize="none" spellcheck=${false}
            ...${input} ...${rest} />
        <button class="button button-plain button-small" type="button" aria-pressed=${String(isShown)}
            aria-describedby=${`${input.id}-label`} onClick=${() => setIsShown(!isShown)}>Show</button>
    </div><//>`;
}

/** A group of radio buttons; `options` are `[value, label]`. */
export function Choices({ label, options, value, onValue }) {
    const name = useId();
    return html`<fieldset class="choices flow">
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
