// Invites somebody by a link that works once.
import { html, useState } from '../htm-preact.js';
import { change } from '../core/api.js';
import { CopyBox } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';

function LinkBox({ email, invitation, onClose }) {
    return html`
        <p>Send this to <strong class="foreign">${email}</strong>. It works once, until${' '}
            <${Time} value=${invitation.expires_at} isAge=${false} />, and is shown only now.</p>
        <${CopyBox} text=${invitation.link} what="the link" />
        <div class="actions"><button class="button button-main" type="button"
            onClick=${onClose}>Done</button></div>`;
}

/** Shows a new link, `{link, expires_at}`, for an account that exists. */
export function LinkDialog({ email, invitation, onClose }) {
    return html`<${Dialog} title="A new link to set a password" onClose=${onClose}>
        <${LinkBox} email=${email} invitation=${invitation} onClose=${onClose} /><//>`;
}

/** Asks for an address, creates the account and shows its link. */
export function InviteDialog({ onCreated, onClose }) {
    const [email, setEmail] = useState('');
    const [isAdmin, setIsAdmin] = useState(false);
    const [created, setCreated] = useState(null);
    const { isBusy, error, submit } = useSubmission(async () => {
        const body = { email: email.trim(), is_admin: isAdmin };
        setCreated(await change('POST', '/admin/accounts', body));
        onCreated();
    });
    if (created) {
        return html`<${Dialog} title="The account is made" onClose=${onClose}>
            <${LinkBox} email=${created.email} invitation=${created} onClose=${onClose} /><//>`;
    }
    const isEmailWrong = error && (error.status === 400 || error.status === 409);
    return html`<${Dialog} title="Invite somebody" onClose=${onClose}>
        <form class="stack" onSubmit=${submit}>
            <${Field} label="E-mail address" type="email" required autocomplete="off" value=${email}
                onValue=${setEmail} error=${isEmailWrong ? error.message : null}
                hint="Nothing is sent: you get a link to pass on." />
            <${Check} label="Administrator" isOn=${isAdmin} onValue=${setIsAdmin} />
            ${error && !isEmailWrong && html`<${FailureNote} error=${error} />`}
            <div class="actions">
                <button class="button" type="button" onClick=${onClose}>Cancel</button>
                <button class="button button-main" type="submit" disabled=${isBusy}>Make a link</button>
            </div>
        </form>
    <//>`;
}
