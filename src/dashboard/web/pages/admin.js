// State of the server, and its accounts, in tabs. Only for administrators.
import { html } from 'htm/preact/standalone';
import { Access } from '../admin/access.js';
import { Accounts } from '../admin/accounts.js';
import { Failures } from '../admin/failures.js';
import { Models } from '../admin/models.js';
import { Queue } from '../admin/queue.js';
import { get } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { pathWithQuery } from '../core/routes.js';
import { useLoading, useRepetition } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Tabs } from '../ui/tabs.js';
import { Time } from '../ui/time.js';
import { useTitle } from '../ui/title.js';

const REFRESH_SECONDS = 2;
const TABS = [
    ['queue', 'Queue', Queue], ['access', 'Access', Access], ['models', 'Models', Models], ['failures', 'Failures', Failures],
    ['accounts', 'Accounts', Accounts],
];
const LIVE_TABS = ['queue', 'access', 'models'];

/** The `/admin` page; the tab is in the query of the address. */
export function Page({ place, session }) {
    const { data, error, isLoading, reload } = useLoading((signal) => get('/admin/overview', signal), []);
    const asked = place.query.get('tab');
    const shown = TABS.some(([name]) => name === asked) ? asked : TABS[0][0];
    const isLive = LIVE_TABS.includes(shown);
    useRepetition(() => isLoading || (isLive && reload()), REFRESH_SECONDS);
    useTitle('Admin');
    const show = (tab) => navigate(pathWithQuery('/admin', { tab: tab === TABS[0][0] ? '' : tab }), true);
    const contentOf = (name, Content) => {
        if (!LIVE_TABS.includes(name)) {
            return html`<${Content} ownEmail=${session.account.email} isInviting=${place.query.has('invite')} />`;
        }
        return html`${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
            ${!data && !error && html`<${Skeleton} count=${2} />`}
            ${data && html`<${Content} overview=${data} />`}`;
    };
    return html`<div>
        <div class="page-head flow">
            <h1>Admin</h1>
            ${data && html`<span class="muted small">reelsd ${data.version}, running
                since <${Time} value=${data.started_at} isAge=${false} /></span>`}
        </div>
        <${Tabs} label="Administration" shown=${shown} onShow=${show}
            tabs=${TABS.map(([name, words, Content]) => [name, words, name === shown && contentOf(name, Content)])} />
    </div>`;
}
