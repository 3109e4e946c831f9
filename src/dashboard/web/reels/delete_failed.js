// Deletes all failed reels, after a question.
import { html, useEffect, useRef } from 'htm/preact/standalone';
import { countOf } from '../text/numbers.js';
import { Confirm } from '../ui/dialog.js';
import { focusHeading } from '../ui/focus.js';
import { showToast } from '../ui/toast.js';
import { refreshList } from './list.js';
import { deleteFailed } from './selection.js';

/** The dialog. */
export function DeleteFailed({ onClose }) {
    const isDone = useRef(false);
    // Once the dialog is gone: while it is open, nothing else can have the focus.
    useEffect(() => () => isDone.current && queueMicrotask(focusHeading), []);
    const run = async () => {
        const deleted = await deleteFailed();
        showToast(`Deleted ${countOf(deleted, 'failed reel')}.`);
        refreshList();
        isDone.current = true;
    };
    return html`<${Confirm} title="Delete all failed reels?" label="Delete failed" run=${run} onClose=${onClose}>
        <p>This deletes every failed reel of your account, including those that a newer analysis of the same post
        hides. It cannot be undone.</p>
    <//>`;
}
