// State of the remote models.
import { html } from 'htm/preact/standalone';
import { State } from '../ui/status.js';
import { ModelForm } from './model_form.js';

const CIRCUITS = {
    closed: ['done', 'Answers'],
    half_open: ['pending', 'Probing'],
    open: ['error', 'Not used'],
};

function Model({ model }) {
    const [kind, words] = CIRCUITS[model.circuit] ?? CIRCUITS.open;
    return html`<li class="line">
        <div class="line-main flow"><h3 class="foreign">${model.model ?? model.provider}</h3>
            ${model.model && html`<span class="small muted">${model.provider}</span>`}</div>
        <p class="small muted foreign">${model.reason ?? ''}</p>
        <div class="line-tools flow"><${State} kind=${kind} words=${words} /></div>
    </li>`;
}

/** `overview` is the daemon's response. */
export function Models({ overview }) {
    return html`<section aria-labelledby="models">
        <h2 class="unseen" id="models">Models</h2>
        <p class="padded small muted">Analyzer: ${overview.analyzer}</p>
        ${overview.models.length > 0 && html`<ul>${overview.models.map((one) =>
            html`<${Model} key=${`${one.provider} ${one.model}`} model=${one} />`)}</ul>`}
        <${ModelForm} />
    </section>`;
}
