// The job as the API returns it.
import { html, useState } from 'htm/preact/standalone';
import { CopyButton } from '../ui/copy.js';
import { JsonText } from '../ui/json_text.js';

/** The section with the JSON, rendered when opened. */
export function RawJson({ reel }) {
    const [isOpen, setIsOpen] = useState(false);
    const text = isOpen ? JSON.stringify(reel, null, 2) : '';
    return html`<details class="section raw" onToggle=${(event) => setIsOpen(event.target.open)}>
        <summary>JSON of the API</summary>
        ${isOpen && html`<div class="raw-body">
            <${CopyButton} text=${text} what="the JSON" isSmall />
            <${JsonText} text=${text} label="JSON" />
        </div>`}
    </details>`;
}
