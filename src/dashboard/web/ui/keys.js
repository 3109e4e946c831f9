// Keyboard shortcuts of every page; palette/shortcuts.js lists them.
import { useEffect, useLayoutEffect, useRef } from 'htm/preact/standalone';
import { navigate } from '../core/navigation.js';
import { sessionStore } from '../core/session.js';
import { focusWhenThere } from './focus.js';
import { openOverlay } from './overlay.js';

const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';
const HEADER_HEIGHT = 56;
const PAGES = { r: '/', u: '/usage', t: '/tokens', w: '/webhooks', a: '/account', d: '/admin' };
const SECOND_KEY_MILLISECONDS_MAX = 1500; // A slow typist's pause after G.

let goUntil = 0; // Until then, the next key is that of a page.

function focusSearch() {
    const search = document.getElementById('search');
    if (search) {
        search.focus();
        search.select();
    } else {
        openOverlay('palette');
    }
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

/** The row of the list that has the focus, or null. */
export function currentRow() {
    return document.activeElement.closest('.row:has(.row-select)');
}

/** Selects the current row as a click does, with `shiftKey` all from the last selected one. */
function selectRow(shiftKey) {
    const row = currentRow();
    row?.querySelector('.row-select input').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
    return row !== null;
}

/** Focuses an element of the box for links and videos, on the page that has it; `onFocused` receives the element. */
export function showSubmitBox(selector, onFocused) {
    if (!document.getElementById('submit-url')) {
        navigate('/');
    }
    setTimeout(focusWhenThere, 0, selector, onFocused); // After the page has taken the focus.
}

function awaitPage() {
    goUntil = Date.now() + SECOND_KEY_MILLISECONDS_MAX;
}

const pageKeys = new Set(); // Refs of the keys of shown components, like KEYS.

/** Adds keys while the component is shown: each runs on its key, and returns false if it has nothing to do. */
export function usePageKeys(keys) {
    const latest = useRef(keys);
    latest.current = keys;
    // Before the page can be seen, so that no key is lost.
    useLayoutEffect(() => {
        pageKeys.add(latest);
        return () => pageKeys.delete(latest);
    }, []);
}

// Each returns false if it has nothing to do.
const KEYS = {
    '/': focusSearch, '?': () => openOverlay('shortcuts'), c: () => showSubmitBox('#submit-url'), g: awaitPage,
    j: () => moveRow(1), k: () => moveRow(-1), x: () => selectRow(false), X: () => selectRow(true),
};

function run(key) {
    const isAllowed = key !== 'd' || sessionStore.get().session?.account.is_admin;
    const page = Date.now() < goUntil && isAllowed ? PAGES[key] : undefined;
    goUntil = 0;
    if (page) {
        navigate(page);
        return true;
    }
    const action = [...pageKeys].find(({ current }) => current[key])?.current[key] ?? KEYS[key];
    return action !== undefined && action() !== false;
}

function follow(event) {
    // Some keyboards type symbols with AltGr.
    const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
    // A modal dialog loses the focus when its focused button is disabled.
    const isElsewhere = event.target.closest?.(TYPING) || document.querySelector('dialog[open]');
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        openOverlay('palette');
    } else if (!isChord && !event.defaultPrevented && !isElsewhere && run(event.key)) {
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
