// The job as the API returns it.
import { html, useState } from 'htm/preact/standalone';
import { JsonBox } from '../ui/json_text.js';

/** The section with the JSON, rendered when opened. */
export function RawJson({ reel }) {
    const [isOpen, setIsOpen] = useState(false);
    return html`<details class="section raw" onToggle=${(event) => setIsOpen(event.target.open)}>
        <summary>JSON of the API</summary>
        ${isOpen && html`<${JsonBox} value=${reel} label="JSON" what="the JSON" />`}
    </details>`;
}
