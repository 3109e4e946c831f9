// State of the platform's resolvers and of the models.
import { html } from 'htm/preact/standalone';
import { countOf } from '../text/numbers.js';
import { Icon } from '../ui/icons.js';
import { Time } from '../ui/time.js';

const CIRCUITS = {
    closed: ['good', 'done', 'Answers'],
    half_open: ['idle', 'pending', 'Probing'],
    open: ['bad', 'error', 'Not used'],
};

function State({ kind, icon, words }) {
    return html`<span class=${`status status-${kind}`}><${Icon} name=${icon} />${words}</span>`;
}

function ReadyState({ resolver }) {
    if (resolver.never_answered) {
        return html`<${State} kind="bad" icon="error" words="Never answered" />`;
    }
    return resolver.answered_at
        ? html`<${State} kind="good" icon="done" words="Ready" />`
        : html`<${State} kind="idle" icon="pending" words="Not used yet" />`;
}

function Resolver({ resolver }) {
    const isReady = resolver.state === 'ready';
    return html`<li class="line">
        <div class="line-main"><h3>${resolver.name}</h3></div>
        <p class="small muted">${resolver.answered_at
            ? html`Answered <${Time} value=${resolver.answered_at} />` : 'Not answered yet'}
            ${resolver.unknown_answers > 0
                && `, ${countOf(resolver.unknown_answers, 'answer')} not understood`}</p>
        <div class="line-tools">${isReady
            ? html`<${ReadyState} resolver=${resolver} />`
            : html`<${State} kind="bad" icon="error" words="Cooling down" />
                ${resolver.cooldown_until && html`<span class="small muted"> until${' '}
                    <${Time} value=${resolver.cooldown_until} isAge=${false} /></span>`}`}</div>
    </li>`;
}

function Model({ model }) {
    const [kind, icon, words] = CIRCUITS[model.circuit] ?? CIRCUITS.open;
    return html`<li class="line">
        <div class="line-main"><h3 class="foreign">${model.model ?? model.provider}</h3>
            ${model.model && html`<span class="small muted">${model.provider}</span>`}</div>
        <p class="small muted foreign">${model.reason ?? ''}</p>
        <div class="line-tools"><${State} kind=${kind} icon=${icon} words=${words} /></div>
    </li>`;
}

/** `overview` is the daemon's response. */
export function Health({ overview }) {
    return html`<div class="halves">
        <section class="section" aria-labelledby="resolvers">
            <div class="section-head"><h2 id="resolvers">Resolvers</h2></div>
            <p class="padded small muted">A resolver finds the video of a link. If one does not answer, the server
                uses the next.</p>
            <ul>${overview.resolvers.map((one) => html`<${Resolver} key=${one.name} resolver=${one} />`)}</ul>
        </section>
        <section class="section" aria-labelledby="models">
            <div class="section-head"><h2 id="models">Models</h2>
                <span class="small muted">analyzer: ${overview.analyzer}</span></div>
            ${overview.models.length === 0
                ? html`<p class="padded muted">This server analyses all reels itself and uses no remote model.</p>`
                : html`<ul>${overview.models.map((one) =>
                    html`<${Model} key=${`${one.provider} ${one.model}`} model=${one} />`)}</ul>`}
        </section>
    </div>`;
}
