// The user's own account: password, sign-out, data.
import { html, useState } from 'htm/preact/standalone';
import { Chats } from '../account/chats.js';
import { AccountData } from '../account/data.js';
import { leave } from '../account/leave.js';
import { Sessions } from '../account/sessions.js';
import { changePassword } from '../core/session.js';
import { PasswordField, useSubmission } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { useTitle } from '../ui/title.js';
import { PASSWORD_LENGTH_MIN } from './join.js';

function PasswordForm({ email }) {
    const [current, setCurrent] = useState('');
    const [next, setNext] = useState('');
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        await changePassword(current, next);
        setCurrent('');
        setNext('');
        showToast('Password changed. All other sessions have ended.');
    });
    // The form has checked the length of the new password.
    const isCurrentWrong = error?.status === 400;
    return html`<form class="stack form-narrow" onSubmit=${submit} onInput=${clearError} noValidate>
        <input class="unseen" type="text" autocomplete="username" value=${email} readonly tabindex="-1"
            aria-hidden="true" />
        <${PasswordField} label="Current password" autocomplete="current-password" required
            value=${current} onValue=${setCurrent} error=${isCurrentWrong ? error.message : null} />
        <${PasswordField} label="New password" autocomplete="new-password" required
            minlength=${PASSWORD_LENGTH_MIN} maxlength="200" value=${next} onValue=${setNext}
            hint=${`At least ${PASSWORD_LENGTH_MIN} characters.`} />
        ${error && !isCurrentWrong && html`<${FailureNote} error=${error} />`}
        <div class="flow">
            <button class="button button-main" type="submit" disabled=${isBusy}>Change password</button>
        </div>
    </form>`;
}

/** The `/account` page. */
export function Page({ session }) {
    const { account, version } = session;
    useTitle('Account');
    return html`<div>
        <div class="page-head flow">
            <h1>Account</h1>
            <div class="tools">
                <button class="button" type="button" onClick=${leave}><${Icon} name="out" />Sign out</button>
            </div>
        </div>
        <dl class="fact-list facts">
            <div><dt>E-mail address</dt><dd class="foreign">${account.email}</dd></div>
            <div><dt>Role</dt><dd>${account.is_admin ? 'Administrator' : 'Member'}</dd></div>
            <div><dt>Server</dt><dd>reelsd ${version}</dd></div>
        </dl>
        <${Chats} isAdmin=${account.is_admin} />
        <section class="section stack" aria-labelledby="password">
            <div class="section-head flow"><h2 id="password">Change password</h2></div>
            <${PasswordForm} email=${account.email} />
        </section>
        <${Sessions} />
        <${AccountData} email=${account.email} />
    </div>`;
}
