// The list of keyboard shortcuts.
import { html } from 'htm/preact/standalone';
import { isAdministrator } from '../core/session.js';
import { Dialog } from '../ui/dialog.js';

const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);
const CONTROL = IS_MAC ? '⌘' : 'Ctrl';

// Keys of a shortcut are pressed together, G before the other. Alternatives are separate lists.
const GROUPS = [
    ['Every page', [
        [[[CONTROL, 'K']], 'search reels, go to a page, run an action'],
        [['/'], 'search'],
        [['C'], 'paste links'],
        [[['G', 'R']], 'go to Reels'],
        [[['G', 'U']], 'go to Usage'],
        [[['G', 'T']], 'go to Tokens'],
        [[['G', 'W']], 'go to Webhooks'],
        [[['G', 'A']], 'go to Account'],
        [[['G', 'D']], 'go to Admin'],
        [['?'], 'this list'],
        [[[CONTROL, 'Z']], 'undo a deletion, while its message is shown'],
    ]],
    ['List of reels', [
        [['J'], 'next reel'],
        [['K'], 'previous reel'],
        [['Enter'], 'open the reel'],
        [['X'], 'select the reel'],
        [[['Shift', 'X']], 'select all from the last selected reel'],
        [['Escape'], 'clear the selection'],
        [['T'], 'tag the selected reels, or the reel'],
        [['Delete', '#'], 'delete the selected reels, or the reel'],
        [[['Shift', 'Enter']], 'new line in the field for links'],
    ]],
    ['Reel', [
        [['J', ']'], 'next reel of the list'],
        [['K', '['], 'previous reel of the list'],
        [['Escape'], 'back to the list'],
    ]],
    ['Video of a reel', [
        [['Space'], 'play or pause'],
        [['←'], 'two seconds back'],
        [['→'], 'two seconds on'],
        [['↑'], 'previous key moment'],
        [['↓'], 'next key moment'],
    ]],
];

/** The keys of a shortcut. */
export function Keys({ keys }) {
    return [keys].flat().map((key) => html`<kbd key=${key}>${key}</kbd>`);
}

/** The dialog. */
export function Shortcuts({ onClose }) {
    const isAdmin = isAdministrator();
    const shown = GROUPS.map(([title, shortcuts]) =>
        [title, shortcuts.filter(([, words]) => isAdmin || words !== 'go to Admin')]);
    return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
        ${shown.map(([title, shortcuts]) => html`<section key=${title} class="keys">
            <h3>${title}</h3>
            <dl>${shortcuts.map(([alternatives, words]) => html`<div key=${words}>
                <dt>${alternatives.map((keys, index) => html`<span key=${index}>
                    ${index > 0 && 'or '}<${Keys} keys=${keys} /></span>`)}</dt>
                <dd>${words}</dd></div>`)}</dl>
        </section>`)}
    <//>`;
}
