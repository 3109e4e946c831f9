// The head of the list: filters, actions on several reels, and the view.
import { html, useState } from 'htm/preact/standalone';
import { useStore } from '../core/store.js';
import { TagDialog } from '../tags/tag_dialog.js';
import { countOf } from '../text/numbers.js';
import { focusHeading } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { currentRow, usePageKeys } from '../ui/keys.js';
import { openOverlay } from '../ui/overlay.js';
import { usePageActions } from '../ui/page_actions.js';
import { showToast } from '../ui/toast.js';
import { deleteReels } from './deletions.js';
import { canTryAgain, clearSelection, idsTo, select, selectionStore, tryAgain } from './selection.js';
import { setView, VIEWS, viewStore } from './view.js';

/** Submits the selected links again; those that were not accepted stay selected. */
async function submitAgain(reels) {
    const { accepted, refusal, failure } = await tryAgain(reels);
    if (failure?.name === 'AbortError') {
        return; // The user has signed out.
    }
    select(accepted, false);
    const left = countOf(reels.length - accepted.length, 'reel');
    const summary = `Submitted ${countOf(accepted.length, 'reel')} again.`;
    if (failure) {
        const reason = failure.status === 0 ? 'No connection.' : failure.message;
        showToast(`${summary} ${left} not submitted: ${refusal ?? reason}`, { isFailure: true });
    } else {
        showToast(refusal ? `${summary} ${left} refused: ${refusal}` : summary, { isFailure: refusal !== null });
    }
    focusHeading(); // The buttons may have disappeared.
}

/** The id of the reel in a row of the list, or null. */
function rowId(row) {
    return row && Number(/\d+/.exec(row.querySelector('.row-title a').getAttribute('href')));
}

/** Deletes reels of the list, which are no longer selected then. */
function remove(reels) {
    deleteReels(reels.map(({ id }) => id), { takesFocus: true });
    clearSelection();
}

function clear() {
    const isAtRow = document.activeElement.closest('.row') !== null;
    clearSelection();
    if (!isAtRow) {
        focusHeading(); // A focused button has disappeared.
    }
}

/** The buttons for the selected `reels`; `onTag` opens the dialog of their tags. */
function Selected({ reels, onTag }) {
    const [isBusy, setIsBusy] = useState(false);
    const again = reels.filter(canTryAgain);
    const areHits = reels.some(({ status }) => status === undefined); // A search does not return the options.
    const runAgain = async () => {
        setIsBusy(true);
        await submitAgain(again);
        setIsBusy(false);
    };
    const actions = [
        { name: 'tag', label: 'Tag', icon: 'tag', keys: ['T'], run: onTag },
        !areHits && { name: 'again', label: 'Try again', icon: 'again', run: runAgain, isDisabled: isBusy || again.length === 0 },
        { name: 'delete', label: 'Delete', icon: 'trash', keys: ['#'], run: () => remove(reels), isDangerous: true },
    ].filter(Boolean);
    usePageActions(countOf(reels.length, 'selected reel'), actions.filter(({ isDisabled }) => !isDisabled));
    return html`${actions.map(({ name, label, icon, run, isDisabled, isDangerous }) => html`<button key=${name}
            class=${`button button-small ${isDangerous ? 'button-danger' : ''}`} type="button" disabled=${isDisabled}
            onClick=${run}><${Icon} name=${icon} />${label}</button>`)}
        <button class="button button-small button-plain" type="button" onClick=${clear}>Clear selection</button>`;
}

function ViewSwitch() {
    const view = useStore(viewStore);
    return html`<div class="views" role="group" aria-label="View">${VIEWS.map(([name, words]) => html`<button
        key=${name} class="button button-small button-icon" type="button" aria-pressed=${String(name === view)}
        aria-label=${words} title=${words} onClick=${() => setView(name)}><${Icon} name=${name} /></button>`)}</div>`;
}

const LIVE_WORDS = { live: 'Live', connecting: 'Connecting…', paused: 'Paused' };

/** Whether changes appear, and the view, where there is a choice. */
export function ListState({ live, hasViews }) {
    return html`<span class=${`live small muted live-${live}`}
            title="Changes appear automatically">${LIVE_WORDS[live]}</span>
        ${hasViews && html`<${ViewSwitch} />`}`;
}

/**
 * The head of the list of `reels`: their selection, or the filters (`children`) while nothing is selected. `isFailed`: the
 * list is that of the failed reels. `onTagged` is called once their tags may have changed.
 */
export function ListHead({ reels, isFailed, onTagged, children }) {
    const selection = useStore(selectionStore);
    const selected = reels.filter(({ id }) => selection.has(id));
    const isAll = selected.length > 0 && selected.length === reels.length;
    const words = selected.length > 0 ? `${selected.length} selected` : 'Select all';
    const [tagged, setTagged] = useState([]); // The reels of the open dialog.
    const acting = () => selected.length > 0 ? selected : reels.filter((reel) => reel.id === rowId(currentRow()));
    const removeByKey = () => {
        if (selected.length > 0) {
            remove(selected);
        } else {
            currentRow()?.querySelector('.row-delete').click();
        }
    };
    const closeTags = () => {
        setTagged([]);
        onTagged();
    };
    usePageKeys({
        Escape: () => selected.length > 0 && clear(),
        t: () => setTagged(acting()), Delete: removeByKey, '#': removeByKey,
    });
    return html`<div class=${`list-tools flow ${selected.length > 0 ? 'list-tools-sticky' : ''}`}>
        ${reels.length > 0 && html`<label class="check">
            <input type="checkbox" checked=${isAll} indeterminate=${selected.length > 0 && !isAll}
                aria-label="Select all shown" onChange=${() => select(reels.map(({ id }) => id), !isAll)} />
            <span role="status">${words}</span></label>`}
        ${selected.length > 0 && html`<${Selected} reels=${selected} onTag=${() => setTagged(selected)} />`}
        ${tagged.length > 0 && html`<${TagDialog} reels=${tagged} onClose=${closeTags} />`}
        <div class="list-filters" hidden=${selected.length > 0}>${children}</div>
        ${selected.length === 0 && isFailed && reels.length > 0 && html`<button class="button button-small delete-failed" type="button"
            onClick=${() => openOverlay('delete_failed')}><${Icon} name="trash" />Delete failed</button>`}
    </div>`;
}

/**
 * The checkbox of a row; with Shift, it selects all rows from the last selected one. `shown` are the ids of the rows, by
 * default those of the list.
 */
export function RowSelect({ id, headline, shown }) {
    const isSelected = useStore(selectionStore).has(id);
    return html`<label class="row-select">
        <input type="checkbox" checked=${isSelected} aria-label=${`Select: ${headline}`}
            onClick=${(event) => select(event.shiftKey ? idsTo(id, shown) : [id], !isSelected)} /></label>`;
}
