// JSON with its names, strings and other values in colours.
import { html, useMemo } from 'htm/preact/standalone';
import { jsonParts } from '../text/json_parts.js';
import { CopyButton } from './copy.js';

/** The text of a value; `label` describes it to screen readers. */
export function JsonText({ text, label }) {
    const parts = useMemo(() => jsonParts(text), [text]);
    return html`<pre class="code code-block" tabindex="0" aria-label=${label}>${parts.map(({ text: part, kind }) =>
        kind === null ? part : html`<span class=${`json-${kind}`}>${part}</span>`)}</pre>`;
}

/** A value as JSON with its copy button, which copies `what`. */
export function JsonBox({ value, label, what }) {
    const text = JSON.stringify(value, null, 2);
    return html`<div class="raw-body">
        <${CopyButton} text=${text} what=${what} isSmall />
        <${JsonText} text=${text} label=${label} />
    </div>`;
}
