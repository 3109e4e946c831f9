// The limits of the account, next to what is used of them.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { limitRows } from './limit_rows.js';

/** The section on limits. */
export function Limits() {
    const { data, error, reload } = useLoading(async (signal) => limitRows(...await Promise.all(
        [get('/limits', signal), get('/reels/usage/budget', signal)])), []);
    return html`<section class="section" aria-labelledby="limits">
        <div class="section-head flow"><h2 id="limits">Limits</h2></div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${2} kind="line" />`}
        ${data && html`<table class="table limits">
            <thead><tr><th scope="col">Limit</th><th scope="col" class="number">Used now</th>
                <th scope="col" class="number">Allowed</th></tr></thead>
            <tbody>${data.map(({ name, used, allowed }) => html`<tr key=${name}>
                <th scope="row">${name}</th>
                <td class="number">${used ?? html`<span class="muted" aria-hidden="true">–</span><span
                    class="unseen">not counted</span>`}</td>
                <td class="number">${allowed}</td></tr>`)}</tbody>
        </table>
        <p class="small muted">An administrator of this server can change the limits of your account. Reels beyond the number
            that is analysed at the same time wait in the queue.</p>`}
    </section>`;
}
