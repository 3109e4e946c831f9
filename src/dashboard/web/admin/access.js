// State of the resolvers, by which the server gets the video of a link.
import { html } from 'htm/preact/standalone';
import { countOf } from '../text/numbers.js';
import { State } from '../ui/status.js';
import { Time } from '../ui/time.js';

const NAMES = {
    page: 'Public page', graphql: 'Web query', embed: 'Embedded player', session: 'Signed-in session',
};

/** The name of a resolver for people: `Web query via proxy.example:3128`. */
function nameOf(resolver) {
    return resolver.name.replace(/^[\w-]+/, (name) => NAMES[name] ?? name);
}

function ResolverState({ resolver }) {
    if (resolver.state !== 'ready') {
        return html`<${State} kind="error" words="Cooling down" />
            ${resolver.cooldown_until && html`<span class="small muted"> until${' '}
                <${Time} value=${resolver.cooldown_until} isAge=${false} /></span>`}`;
    }
    if (resolver.never_answered) {
        return html`<${State} kind="error" words="Never answered" />`;
    }
    return resolver.answered_at
        ? html`<${State} kind="done" words="Ready" />`
        : html`<${State} kind="pending" words="Not used yet" />`;
}

function Resolver({ resolver }) {
    const unknown = resolver.unknown_answers;
    return html`<li class="line">
        <div class="line-main flow"><h3>${nameOf(resolver)}</h3>
            <code class="small muted" title="Name in the settings">${resolver.name}</code></div>
        <p class="small muted">${resolver.answered_at && html`Answered <${Time} value=${resolver.answered_at} />`}
            ${unknown > 0 && ` ${countOf(unknown, 'answer')} not understood`}</p>
        <div class="line-tools flow"><${ResolverState} resolver=${resolver} /></div>
    </li>`;
}

/** `overview` is the daemon's response. */
export function Access({ overview }) {
    return html`<section aria-labelledby="access">
        <h2 class="unseen" id="access">Resolvers</h2>
        <p class="padded small muted">A resolver finds the video of a link. If one does not answer, the server
            uses the next.</p>
        <ul>${overview.resolvers.map((one) => html`<${Resolver} key=${one.name} resolver=${one} />`)}</ul>
    </section>`;
}
