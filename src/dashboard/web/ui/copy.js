// A text with a copy button.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { announce } from './announcer.js';
import { Icon } from './icons.js';
import { showToast } from './toast.js';

const SHOWN_SECONDS = 2;

/** Copies text, even without the clipboard API, as over plain HTTP. */
export async function copyText(text) {
    if (navigator.clipboard) {
        return navigator.clipboard.writeText(text);
    }
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'unseen';
    // The copy source must be inside an open dialog, because the rest of the page is inert.
    const parent = document.querySelector('dialog[open]') ?? document.body;
    const focused = document.activeElement;
    parent.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    focused?.focus();
    if (!isCopied) {
        throw new Error('The browser does not allow copying.');
    }
    return undefined;
}

/** Copies `text`, which the message about it names as `what`. */
export async function copyAndReport(text, what) {
    try {
        await copyText(text);
        showToast(`Copied ${what}.`);
    } catch {
        showToast('The browser does not allow copying.', { isFailure: true });
    }
}

/** A button that copies `text`; `what` describes it to screen readers. */
export function CopyButton({ text, what, label = 'Copy', isSmall = false }) {
    const [state, setState] = useState('ready');
    useEffect(() => {
        if (state === 'ready') {
            return undefined;
        }
        const timer = setTimeout(() => setState('ready'), SHOWN_SECONDS * 1000);
        return () => clearTimeout(timer);
    }, [state]);
    const copy = async () => {
        try {
            await copyText(text);
            setState('copied');
            announce(`Copied ${what}.`);
        } catch {
            setState('failed');
            announce('The browser does not allow copying. Select the text instead.');
        }
    };
    const words = { ready: label, copied: 'Copied', failed: 'Select it instead' };
    return html`<button class=${`button ${isSmall ? 'button-small' : ''}`} type="button" onClick=${copy}
            aria-label=${state === 'ready' ? `${label} ${what}` : words[state]}>
        <${Icon} name=${state === 'copied' ? 'done' : 'copy'} />${words[state]}
    </button>`;
}

/** A text in a box with its copy button. */
export function CopyBox({ text, what }) {
    return html`<div class="copied">
        <span class="code">${text}</span>
        <${CopyButton} text=${text} what=${what} />
    </div>`;
}
