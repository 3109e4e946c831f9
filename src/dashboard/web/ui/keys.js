// Keyboard shortcuts of every page; palette/shortcuts.js lists them.
import { useEffect } from 'htm/preact/standalone';
import { openOverlay } from './overlay.js';

const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog';
const HEADER_HEIGHT = 56;

function focusSearch() {
    const search = document.getElementById('search');
    if (search) {
        search.focus();
        search.select();
    } else {
        openOverlay('palette');
    }
    return true;
}

/** Moves the focus between the rows of a list, first to the top row on the screen. Returns whether there is a row. */
function moveRow(step) {
    const rows = [...document.querySelectorAll('main .row')];
    const at = rows.indexOf(document.activeElement.closest('.row'));
    const top = rows.findIndex((row) => row.getBoundingClientRect().top >= HEADER_HEIGHT);
    const next = rows[at < 0 ? Math.max(0, top) : Math.min(rows.length - 1, Math.max(0, at + step))];
    next?.querySelector('.row-title a').focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
    return next !== undefined;
}

function selectRow() {
    const box = document.activeElement.closest('.row')?.querySelector('.row-select input');
    box?.click();
    return box !== undefined;
}

function showShortcuts() {
    openOverlay('shortcuts');
    return true;
}

// Each returns whether it has done something.
const KEYS = {
    '/': focusSearch, '?': showShortcuts, j: () => moveRow(1), k: () => moveRow(-1), x: selectRow,
};

function follow(event) {
    const isChord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        openOverlay('palette');
    } else if (!isChord && !event.target.closest?.(TYPING) && KEYS[event.key]?.()) {
        event.preventDefault();
    }
}

/** Follows the keys while `isOn`. */
export function useKeys(isOn) {
    useEffect(() => {
        if (isOn) {
            document.addEventListener('keydown', follow);
        }
        return () => document.removeEventListener('keydown', follow);
    }, [isOn]);
}
