// Accounts, their access and their limits.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { get, getPage } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { Money } from '../reel/cost.js';
import { countOf, formatMoney } from '../text/numbers.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { State } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { AccountDialog, DeletionDialog } from './account_dialog.js';
import { InviteDialog, RenewalDialog, renewalWords } from './invite_dialog.js';

/** The server's upper bound of the count. */
const REELS_COUNTED_MAX = 10000;

/** The account's own limits as text; defaults are omitted. */
function ownLimits(account) {
    return [
        [account.submissions_per_minute, 'reels a minute'],
        [account.concurrent_jobs, 'concurrent reels'],
        [account.requests_per_minute, 'requests a minute'],
        [account.queued_jobs, 'in the queue'],
    ].filter(([limit]) => limit !== null).map(([limit, words]) => `${limit} ${words}`).join(', ');
}

function AccountState({ account }) {
    if (account.leaving_at || account.disabled_at) {
        return html`<${State} kind="error" words=${account.leaving_at ? 'Being deleted' : 'Disabled'} />`;
    }
    return account.can_sign_in ? html`<${State} kind="done" words="Active" />`
        : html`<${State} kind="pending" words=${account.invited_until ? 'Invited' : 'No password'} />`;
}

function AccountRow({ account, isOwn, onEdit, onRenew, onDelete }) {
    const limits = ownLimits(account);
    const budget = account.monthly_budget_usd;
    return html`<li class=${`line account ${account.disabled_at ? 'line-over' : ''}`}>
        <div class="line-main flow">
            <h3 class="foreign">${account.email}</h3>
            <p class="flow"><${AccountState} account=${account} />
                ${account.is_admin && html`<span class="tag">Administrator</span>`}</p>
        </div>
        <dl class="line-facts">
            <div><dt>Last seen</dt><dd>${account.last_seen_at
                ? html`<${Time} value=${account.last_seen_at} />` : 'never'}</dd></div>
            <div><dt>Reels</dt><dd>${account.reels < REELS_COUNTED_MAX
                ? account.reels : `${REELS_COUNTED_MAX} or more`}</dd></div>
            <div><dt>This month</dt><dd><${Money} dollars=${account.spent_this_month_usd} />
                ${budget !== null && ` of ${formatMoney(budget)}`}</dd></div>
            ${limits && html`<div class="fact-wide"><dt>Own limits</dt><dd>${limits}</dd></div>`}
        </dl>
        <div class="line-tools flow">
            ${!account.disabled_at && html`<button class="button button-small" type="button"
                onClick=${onRenew} aria-label=${`${renewalWords(account)} for ${account.email}`}>
                ${renewalWords(account)}</button>`}
            ${!account.leaving_at && html`<button class="button button-small" type="button" onClick=${onEdit}
                aria-label=${`Edit ${account.email}`}>Edit</button>`}
            ${!account.leaving_at && !isOwn && html`<button class="button button-small button-danger" type="button"
                onClick=${onDelete} aria-label=${`Delete ${account.email}`}>Delete</button>`}
        </div>
    </li>`;
}

/** The open dialog, `{kind, account}`, or null. */
function Dialogs({ open, defaults, ownEmail, onClose, onChanged }) {
    if (open?.kind === 'edit') {
        return html`<${AccountDialog} account=${open.account} defaults=${defaults}
            isOwn=${open.account.email === ownEmail} onChanged=${onChanged} onClose=${onClose} />`;
    }
    if (open?.kind === 'deletion') {
        return html`<${DeletionDialog} account=${open.account} onChanged=${onChanged} onClose=${onClose} />`;
    }
    if (open?.kind === 'invite') {
        return html`<${InviteDialog} onCreated=${onChanged} onClose=${onClose} />`;
    }
    if (open?.kind === 'renewal') {
        return html`<${RenewalDialog} account=${open.account} onCreated=${onChanged} onClose=${onClose} />`;
    }
    return null;
}

/** Fetches the first `pages` pages of accounts; `next` is null after the last page. */
async function loadAccounts(pages, signal) {
    const defaults = await get('/admin/defaults', signal);
    let accounts = [];
    let next = '/admin/accounts';
    for (let page = 0; page < pages && next !== null; page += 1) {
        const loaded = await getPage(next, signal);
        accounts = [...accounts, ...loaded.items];
        next = loaded.next;
    }
    return { accounts, defaults, next };
}

/** The section on accounts. `ownEmail` is the signed-in administrator's address; `isInviting` opens the dialog. */
export function Accounts({ ownEmail, isInviting }) {
    const pages = useRef(1);
    const { data, error, isLoading, reload } = useLoading((signal) => loadAccounts(pages.current, signal), []);
    const [open, setOpen] = useState(null);
    useEffect(() => setOpen(isInviting ? { kind: 'invite' } : null), [isInviting]);
    const close = () => {
        setOpen(null);
        if (isInviting) {
            navigate('/admin?tab=accounts', true);
        }
    };
    const loadMore = () => {
        pages.current += 1;
        reload();
    };
    return html`<section aria-labelledby="accounts">
        <div class="section-head flow"><h2 id="accounts">Accounts</h2>
            ${data && html`<span class="small muted">
                ${countOf(data.accounts.length, 'account')}${data.next && ' shown'}</span>`}
            <div class="tools"><button class="button button-small button-main" type="button"
                onClick=${() => setOpen({ kind: 'invite' })}>Invite a user</button></div>
        </div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${3} />`}
        ${data && html`<ul>${data.accounts.map((account) => html`<${AccountRow} key=${account.id}
            account=${account} isOwn=${account.email === ownEmail}
            onEdit=${() => setOpen({ kind: 'edit', account })}
            onDelete=${() => setOpen({ kind: 'deletion', account })}
            onRenew=${() => setOpen({ kind: 'renewal', account })} />`)}</ul>
            ${data.next && html`<div class="more"><button class="button" type="button" disabled=${isLoading}
                onClick=${loadMore}>${isLoading ? 'Loading…' : 'Show more'}</button></div>`}
            <${Dialogs} open=${open} defaults=${data.defaults} ownEmail=${ownEmail}
                onClose=${close} onChanged=${reload} />`}
    </section>`;
}
