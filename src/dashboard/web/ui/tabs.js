// Tabs: arrow keys move between them, as in the ARIA pattern.
import { html, useRef, useState } from 'htm/preact/standalone';

let lastNumber = 0;

/** `tabs` are `[name, label, content]`; `shown` is the name of the shown one, `onShow` receives another one's. */
export function Tabs({ label, tabs, shown, onShow }) {
    const [id] = useState(() => `tabs-${lastNumber += 1}`);
    const list = useRef(null);
    const followKey = (event) => {
        const at = tabs.findIndex(([name]) => name === shown);
        const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (next !== undefined) {
            event.preventDefault();
            const index = (next + tabs.length) % tabs.length;
            onShow(tabs[index][0]);
            list.current.children[index].focus();
        }
    };
    return html`<div>
        <div class="tabs flow" role="tablist" aria-label=${label} ref=${list} onKeyDown=${followKey}>
            ${tabs.map(([name, words]) => html`<button key=${name} class="tab" type="button" role="tab"
                id=${`${id}-${name}`} aria-selected=${String(name === shown)} aria-controls=${`${id}-panel`}
                tabindex=${name === shown ? 0 : -1} onClick=${() => onShow(name)}>${words}</button>`)}
        </div>
        <div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${shown}`} tabindex="0">
            ${tabs.find(([name]) => name === shown)[2]}
        </div>
    </div>`;
}
