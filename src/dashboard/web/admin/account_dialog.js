// Edits one account.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { Confirm, FormDialog } from '../ui/dialog.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { countOf } from '../text/numbers.js';
import { showToast } from '../ui/toast.js';
import { changesOf, draftOf, draftProblems, LIMITS } from './changes.js';

function useAccountChange(account, onChanged, onClose) {
    return async (changes, words) => {
        if (Object.keys(changes).length > 0) {
            await change('PATCH', `/admin/accounts/${account.id}`, changes);
            showToast(words);
            onChanged();
        }
        onClose();
    };
}

function Access({ account, isOwn, isBusy, onToggle }) {
    const isDisabled = Boolean(account.disabled_at);
    return html`<div class="note">
        <div class="note-body">
            <p>${isDisabled ? 'This account is disabled: it cannot sign in, and its tokens are rejected.'
                : isOwn ? 'This is your own account: you cannot disable it.'
                    : 'Disabling ends its sessions and rejects its tokens immediately. Its reels remain: those in '
                        + 'progress are finished, queued ones wait until it is enabled again.'}</p>
            ${!isOwn && html`<div><button type="button" disabled=${isBusy} onClick=${onToggle}
                class=${`button button-small ${isDisabled ? '' : 'button-danger'}`}>
                ${isDisabled ? 'Enable this account' : 'Disable this account'}</button></div>`}
        </div>
    </div>`;
}

/** Asks for confirmation before another user's account is deleted. */
export function DeletionDialog({ account, onChanged, onClose }) {
    const run = async () => {
        await change('DELETE', `/admin/accounts/${account.id}`);
        showToast(`${account.email} is being deleted.`);
        onChanged();
    };
    return html`<${Confirm} title=${`Delete ${account.email}?`} label="Delete everything" run=${run}
        onClose=${onClose}>
        <p>Its ${countOf(account.reels, 'reel')} and all its other data are deleted permanently. Its sessions and
            tokens end immediately; the address can be used again when the deletion is complete.</p>
    <//>`;
}

/** Limits, budget, role and access of an account. `defaults` are the limits of accounts without their own. */
export function AccountDialog({ account, defaults, isOwn, onChanged, onClose }) {
    const [draft, setDraft] = useState(draftOf(account));
    const [problems, setProblems] = useState({});
    const apply = useAccountChange(account, onChanged, onClose);
    const set = (field) => (value) => setDraft({ ...draft, [field]: value });
    const saving = useSubmission(async () => {
        const found = draftProblems(draft);
        setProblems(found);
        if (Object.keys(found).length === 0) {
            await apply(changesOf(account, draft), 'Account changed.');
        }
    });
    const toggling = useSubmission(() => apply({ disabled: !account.disabled_at },
        account.disabled_at ? 'Account enabled.' : 'Account disabled.'));
    const submission = { ...saving, isBusy: saving.isBusy || toggling.isBusy, error: saving.error ?? toggling.error };
    return html`<${FormDialog} title=${account.email} submission=${submission} label="Save" onClose=${onClose}>
        ${LIMITS.map(([field, words]) => html`<${Field} key=${field} label=${words} inputmode="numeric"
            autocomplete="off" placeholder=${`Default: ${defaults[field]}`} value=${draft[field]}
            onValue=${set(field)} error=${problems[field]} />`)}
        <${Field} label="Monthly budget in US dollars" inputmode="decimal" autocomplete="off"
            placeholder="No budget" value=${draft.monthly_budget_usd}
            onValue=${set('monthly_budget_usd')} error=${problems.monthly_budget_usd} />
        <${Check} label="Administrator" isOn=${draft.is_admin} onValue=${set('is_admin')} />
        <${Access} account=${account} isOwn=${isOwn} isBusy=${submission.isBusy} onToggle=${toggling.submit} />
    <//>`;
}
