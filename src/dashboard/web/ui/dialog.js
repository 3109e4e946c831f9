// Dialogs: the browser's own, which keep the focus within and close on Escape.
import { html, useLayoutEffect, useRef, useState } from '../htm-preact.js';
import { Icon } from './icons.js';
import { FailureNote } from './notes.js';

let lastNumber = 0;

// What somebody wants first in a dialog: its field, else its first button, which undoes nothing.
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

/** A dialog over the page, open as long as it is drawn. `onClose` is to take it away. */
export function Dialog({ title, onClose, children }) {
    const element = useRef(null);
    const [id] = useState(() => `dialog-${lastNumber += 1}`);
    // Before the next key can be pressed: Escape must find it open.
    useLayoutEffect(() => {
        const opener = document.activeElement;
        element.current.showModal();
        return () => opener?.isConnected && opener.focus();
    }, []);
    // Also when it goes on to say something else, as after its form was sent.
    useLayoutEffect(() => focusFirst(element.current), [title]);
    const closeOutside = (event) => event.target === element.current && onClose();
    return html`<dialog class="dialog" ref=${element} aria-labelledby=${id} onClose=${onClose}
            onMouseDown=${closeOutside}>
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
 * Asks before something that cannot be taken back. `run` does it and may reject; the dialog then says why
 * and stays.
 */
export function Confirm({ title, children, label, run, onClose }) {
    const [error, setError] = useState(null);
    const [isBusy, setIsBusy] = useState(false);
    const confirm = async () => {
        setIsBusy(true);
        setError(null);
        try {
            await run();
            onClose();
        } catch (why) {
            setError(why);
            setIsBusy(false);
        }
    };
    return html`<${Dialog} title=${title} onClose=${onClose}>
        <div>${children}</div>
        ${error && html`<${FailureNote} error=${error} />`}
        <div class="actions">
            <button class="button" type="button" onClick=${onClose}>Cancel</button>
            <button class="button button-danger" type="button" disabled=${isBusy}
                onClick=${confirm}>${label}</button>
        </div>
    <//>`;
}
