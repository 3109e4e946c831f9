// Modal dialogs: the `dialog` element, which traps the focus and closes on Escape.
import { html, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { useSubmission } from './field.js';
import { Icon } from './icons.js';
import { FailureNote } from './notes.js';

let lastNumber = 0;

// The initial focus: the first field, otherwise the first button, which is never destructive.
const FIRST_CHOICES = ['[autofocus]', 'input, select, textarea', '.dialog-head ~ * button'];

function focusFirst(dialog) {
    for (const choice of FIRST_CHOICES) {
        const element = dialog.querySelector(choice);
        if (element) {
            element.focus();
            return;
        }
    }
}

/** Whether the pointer is on the backdrop. The target of the event is the dialog on its padding and scroll bar as well. */
function isOutside({ target, clientX, clientY }, dialog) {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return target === dialog && (clientX < left || clientX >= right || clientY < top || clientY >= bottom);
}

/** A modal dialog, open while it is rendered. `onClose` must remove it; `isBare` shows neither title nor button. */
export function Dialog({ title, isBare = false, onClose, children }) {
    const element = useRef(null);
    const [id] = useState(() => `dialog-${lastNumber += 1}`);
    // Synchronously, so that Escape always finds it open.
    useLayoutEffect(() => {
        const opener = document.activeElement;
        element.current.showModal();
        // Once it is gone: while it is open, nothing else can have the focus.
        return () => queueMicrotask(() => document.activeElement === document.body && opener?.isConnected && opener.focus());
    }, []);
    // Again when its content changes, for example after its form was sent.
    useLayoutEffect(() => focusFirst(element.current), [title]);
    const closeOutside = (event) => isOutside(event, element.current) && onClose();
    // At Escape. The picker of files has an event of this name too.
    const cancel = ({ target, currentTarget }) => target === currentTarget && onClose();
    // This event arrives later. By then the dialog may be gone, and another one open.
    const noteClosed = ({ target }) => target.isConnected && onClose();
    if (isBare) {
        return html`<dialog class="dialog dialog-bare" ref=${element} aria-label=${title} onCancel=${cancel}
            onClose=${noteClosed} onMouseDown=${closeOutside}>${children}</dialog>`;
    }
    return html`<dialog class="dialog" ref=${element} aria-labelledby=${id} onCancel=${cancel}
            onClose=${noteClosed} onMouseDown=${closeOutside}>
        <div class="stack">
            <div class="dialog-head">
                <h2 id=${id}>${title}</h2>
                <button class="button button-plain button-small button-icon" type="button"
                    aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button>
            </div>
            ${children}
        </div>
    </dialog>`;
}

/**
 * A dialog with a form, which the button `label` of a `kind` sends; other props are those of the button. `submission` is
 * of useSubmission(), `error` the one to show below the fields.
 */
export function FormDialog({ title, submission, label, kind = 'main', onClose, children, ...rest }) {
    const { error = submission.error, ...more } = rest;
    return html`<${Dialog} title=${title} onClose=${onClose}>
        <form class="stack" onSubmit=${submission.submit} onInput=${submission.clearError} noValidate>
            ${children}
            ${error && html`<${FailureNote} error=${error} />`}
            <div class="actions flow">
                <button class="button" type="button" onClick=${onClose}>Cancel</button>
                <button class=${`button button-${kind}`} type="submit" disabled=${submission.isBusy}
                    ...${more}>${label}</button>
            </div>
        </form>
    <//>`;
}

/**
 * Asks for confirmation of an irreversible action. `run` performs it and may reject; the dialog then shows
 * the error and stays open.
 */
export function Confirm({ title, children, label, run, onClose }) {
    const submission = useSubmission(async () => {
        await run();
        onClose();
    });
    return html`<${FormDialog} title=${title} submission=${submission} label=${label} kind="danger" onClose=${onClose}>
        <div>${children}</div>
    <//>`;
}
