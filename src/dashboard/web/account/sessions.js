// The account's sign-in sessions, each of which can be ended.
import { html } from 'htm/preact/standalone';
import { change, get } from '../core/api.js';
import { useSubmission } from '../ui/field.js';
import { focusHeading } from '../ui/focus.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote, Skeleton } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';
import { browserName } from './browser_names.js';

function Session({ session, onEnd }) {
    const name = browserName(session.user_agent);
    return html`<li class="line">
        <div class="line-main flow"><h3 class="foreign">${name}</h3>
            ${session.is_current && html`<span class="small muted">This browser</span>`}</div>
        <dl class="line-facts">
            <div><dt>Signed in</dt><dd><${Time} value=${session.created_at} /></dd></div>
            <div><dt>Last used</dt><dd><${Time} value=${session.last_seen_at} /></dd></div>
        </dl>
        <div class="line-tools flow">${!session.is_current && html`<button class="button button-small button-danger"
            type="button" onClick=${onEnd} aria-label=${`Sign out ${name}`}>Sign out</button>`}</div>
    </li>`;
}

/** The section. */
export function Sessions() {
    const { data, error, reload } = useLoading((signal) => get('/sessions', signal), []);
    const ending = useSubmission(async () => {
        const { ended } = await change('DELETE', '/sessions');
        showToast(`Signed out ${ended === 1 ? '1 session' : `${ended} sessions`}.`);
        reload();
    });
    const end = async (id) => {
        try {
            await change('DELETE', `/sessions/${id}`);
            showToast('Signed out.');
        } catch (why) {
            showToast(why.message, { isFailure: true });
        }
        reload();
        focusHeading(); // The focused row disappears.
    };
    return html`<section class="section" aria-labelledby="sessions">
        <div class="section-head flow"><h2 id="sessions">Sessions</h2>
            ${data?.length > 1 && html`<div class="tools"><button class="button button-small" type="button"
                disabled=${ending.isBusy} onClick=${ending.submit}>Sign out all others</button></div>`}</div>
        ${(error ?? ending.error) && html`<${FailureNote} error=${error ?? ending.error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${1} kind="line" />`}
        <ul>${(data ?? []).map((one) => html`<${Session} key=${one.id} session=${one} onEnd=${() => end(one.id)} />`)}</ul>
    </section>`;
}
