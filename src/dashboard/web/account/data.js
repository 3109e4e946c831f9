// Export and permanent deletion of the account's data.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { forgetSession } from '../core/session.js';
import { FormDialog } from '../ui/dialog.js';
import { PasswordField, useSubmission } from '../ui/field.js';
import { showToast } from '../ui/toast.js';

function DeletionDialog({ email, onClose }) {
    const [password, setPassword] = useState('');
    const submission = useSubmission(async () => {
        await change('POST', '/account/deletion', { password });
        forgetSession();
        navigate('/sign-in');
        showToast('Account deleted.');
    });
    const { error } = submission;
    const isPasswordWrong = error?.status === 400;
    return html`<${FormDialog} title="Delete your account?" submission=${submission} label="Delete everything" kind="danger"
            error=${isPasswordWrong ? null : error} onClose=${onClose}>
        <p>This deletes your reels, their analyses and costs, your tokens, webhooks and chats immediately and
            permanently. Reels in progress are stopped.</p>
        <input class="unseen" type="text" autocomplete="username" value=${email} readonly tabindex="-1"
            aria-hidden="true" />
        <${PasswordField} label="Password" autocomplete="current-password" required
            value=${password} onValue=${setPassword} error=${isPasswordWrong ? error.message : null} />
    <//>`;
}

/** Section of the `/account` page. */
export function AccountData({ email }) {
    const [isDeleting, setIsDeleting] = useState(false);
    return html`<section class="section stack" aria-labelledby="data">
        <div class="section-head flow"><h2 id="data">Your data</h2></div>
        <p class="lead">A JSON Lines file with each reel, model call, token and all other data. Its last line
            confirms that it is complete.</p>
        <div class="flow">
            <a class="button" href="/dashboard/api/export" download>Export everything</a>
            <button class="button button-danger" type="button" onClick=${() => setIsDeleting(true)}>
                Delete account</button>
        </div>
        ${isDeleting && html`<${DeletionDialog} email=${email} onClose=${() => setIsDeleting(false)} />`}
    </section>`;
}
