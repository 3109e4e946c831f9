// Toasts: short messages that close automatically.
import { html, useEffect, useLayoutEffect, useRef } from 'htm/preact/standalone';
import { createStore, useStore } from '../core/store.js';
import { focusHeading } from './focus.js';
import { Icon } from './icons.js';

const SECONDS = 6;

const toastsStore = createStore([]);
let lastNumber = 0;

function remove(number) {
    toastsStore.set(toastsStore.get().filter((one) => one.number !== number));
}

/**
 * Shows a message. `options`: `object` is the quoted name of its subject; `isFailure`; `action`
 * `{label, run, isUndo}`, a button that also closes the message (Ctrl+Z triggers it with `isUndo`); `link`
 * `{label, address}`, which also closes it; `takesFocus` focuses the action; `onEnd` runs when the message closes
 * without the action. Returns a function that closes it early.
 */
export function showToast(message, options = {}) {
    lastNumber += 1;
    const number = lastNumber;
    let isOver = false;
    const end = (runs) => {
        if (!isOver) {
            isOver = true;
            remove(number);
            runs?.();
        }
    };
    toastsStore.set([...toastsStore.get(), { number, message, options, end }]);
    return () => end(options.onEnd);
}

/** Ctrl+Z (Cmd+Z on a Mac) undoes the latest message's action; text fields keep their own undo. */
function followUndo(event) {
    const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey)
        && !event.shiftKey && !event.altKey;
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable], dialog');
    const latest = toastsStore.get().findLast(({ options }) => options.action?.isUndo);
    if (isUndo && !isTyping && latest) {
        event.preventDefault();
        latest.end(latest.options.action.run);
    }
}

function Message({ message, object }) {
    return object
        ? html`<span class="toast-message">${message} “<span class="toast-object foreign" dir="auto"
            title=${object}>${object}</span>”</span>`
        : html`<span class="foreign">${message}</span>`;
}

function Toast({ toast }) {
    const { message, options, end } = toast;
    const element = useRef(null);
    const timer = useRef(0);
    const stop = () => clearTimeout(timer.current);
    const start = () => {
        stop();
        timer.current = setTimeout(() => end(options.onEnd), SECONDS * 1000);
    };
    useEffect(() => {
        start();
        if (options.takesFocus) {
            element.current.querySelector('button').focus();
        }
        return stop;
    }, []);
    useLayoutEffect(() => () => element.current?.contains(document.activeElement) && focusHeading(), []);
    // It stays open while it is hovered or focused.
    return html`<div class=${`toast ${options.isFailure ? 'toast-failure' : ''}`} ref=${element}
            onMouseEnter=${stop} onMouseLeave=${start} onfocusin=${stop} onfocusout=${start}>
        <${Message} message=${message} object=${options.object} />
        ${options.action && html`<button class="button button-small" type="button"
            aria-keyshortcuts=${options.action.isUndo ? 'Control+Z' : undefined}
            onClick=${() => end(options.action.run)}>${options.action.label}</button>`}
        ${options.link && html`<a class="button button-small" href=${options.link.address}
            onClick=${() => end(options.onEnd)}>${options.link.label}</a>`}
        <button class="button button-small button-icon" type="button" aria-label="Close this message"
            onClick=${() => end(options.onEnd)}><${Icon} name="close" /></button>
    </div>`;
}

/** The container of messages; always on the page once, so that screen readers announce them. */
export function Toasts() {
    const toasts = useStore(toastsStore);
    useEffect(() => {
        document.addEventListener('keydown', followUndo);
        return () => document.removeEventListener('keydown', followUndo);
    }, []);
    return html`<div class="toasts" role="status" aria-live="polite">
        ${toasts.map((toast) => html`<${Toast} key=${toast.number} toast=${toast} />`)}
    </div>`;
}
