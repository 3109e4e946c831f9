// An extracted value in readable form.
import { html } from 'htm/preact/standalone';
import { formatTimecode } from '../text/times.js';
import { columnsOf, labelOf, shapeOf, textOf } from './labels.js';

/** A simple value; a time in the video, as the presets name it, is a link to it. */
function Text({ name, value }) {
    return name === 'startOffset' && typeof value === 'number'
        ? html`<a class="timecode" href=${`${location.pathname}#t=${value}`}>${formatTimecode(value)}</a>`
        : html`<span class="foreign" dir="auto">${textOf(value)}</span>`;
}

function List({ value }) {
    return html`<ul class="bullets">${value.map((entry, index) => html`<li key=${index}><${Text} value=${entry} /></li>`)}</ul>`;
}

function Table({ value, label }) {
    const columns = columnsOf(value);
    return html`<div class="table-frame" tabindex="0" role="region" aria-label=${label}>
        <table class="table">
            <thead><tr>${columns.map((name) => html`<th key=${name} scope="col">${labelOf(name)}</th>`)}</tr></thead>
            <tbody>${value.map((entry, index) => html`<tr key=${index}>${columns.map((name) =>
                html`<td key=${name}>${shapeOf(entry[name]) === 'none' ? '' : html`<${Text} name=${name} value=${entry[name]} />`}</td>`)}</tr>`)}</tbody>
        </table>
    </div>`;
}

function Entries({ value, label }) {
    return html`<ol class="extract-entries stack">${value.map((entry, index) =>
        html`<li key=${index}><${Value} value=${entry} label=${label} /></li>`)}</ol>`;
}

/** The members of an object, labelled; those without a value are left out. */
export function Members({ value }) {
    const named = Object.entries(value).filter(([, member]) => shapeOf(member) !== 'none');
    return named.length === 0 ? html`<p class="muted">Nothing was found.</p>` : html`<dl class="fact-list">
        ${named.map(([name, member]) => html`<div key=${name}><dt class="foreign">${labelOf(name)}</dt>
            <dd><${Value} value=${member} name=${name} label=${labelOf(name)} /></dd></div>`)}</dl>`;
}

/** A value of any shape; `name` is its member's, `label` names it for screen readers. */
export function Value({ value, name, label }) {
    switch (shapeOf(value)) {
        case 'none': return html`<span class="muted">none</span>`;
        case 'list': return html`<${List} value=${value} />`;
        case 'table': return html`<${Table} value=${value} label=${label} />`;
        case 'objects': return html`<${Entries} value=${value} label=${label} />`;
        case 'object': return html`<${Members} value=${value} />`;
        default: return html`<${Text} name=${name} value=${value} />`;
    }
}
