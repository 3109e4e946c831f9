// State of the server, and its accounts. Only for administrators.
import { html } from 'htm/preact/standalone';
import { Accounts } from '../admin/accounts.js';
import { Failures } from '../admin/failures.js';
import { Health } from '../admin/health.js';
import { Queue } from '../admin/queue.js';
import { get } from '../core/api.js';
import { useLoading, useRepetition } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { useTitle } from '../ui/title.js';

const REFRESH_SECONDS = 2;

/** The page `/admin`. */
export function Page({ session }) {
    const { data, error, isLoading, reload } = useLoading((signal) => get('/admin/overview', signal), []);
    useRepetition(() => isLoading || reload(), REFRESH_SECONDS);
    useTitle('Admin');
    return html`
        <div class="page-head">
            <h1>Admin</h1>
            ${data && html`<span class="muted small">reelsd ${data.version}, running
                since <${Time} value=${data.started_at} isAge=${false} /></span>`}
        </div>
        <section aria-labelledby="queue">
            <div class="section-head"><h2 id="queue">Queue</h2></div>
            ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
            ${!data && !error && html`<${Skeleton} count=${2} />`}
            ${data && html`<${Queue} overview=${data} />`}
        </section>
        ${data && html`<${Health} overview=${data} />`}
        <${Failures} />
        <${Accounts} ownEmail=${session.account.email} />`;
}
