// Invites a user by a link that works once.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { CopyBox } from '../ui/copy.js';
import { Dialog, FormDialog } from '../ui/dialog.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { Time } from '../ui/time.js';

/** Whether a link has a loopback address, which works on this machine only. */
function isLoopback(link) {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(link).hostname);
}

function LinkBox({ email, invitation, onClose }) {
    return html`
        <p>Send this to <strong class="foreign">${email}</strong>. It works once, until${' '}
            <${Time} value=${invitation.expires_at} isAge=${false} />, and is shown only once.</p>
        <${CopyBox} text=${invitation.link} what="the link" />
        ${isLoopback(invitation.link) && html`<div class="note note-warn"><${Icon} name="warning" />
            <p>This link works on the server's own machine only. Set <code>public-url</code> to the address by which others
                reach it, and create a new link.</p></div>`}
        <div class="actions flow"><button class="button button-main" type="button"
            onClick=${onClose}>Done</button></div>`;
}

/** Label of the action that creates a new link: it replaces the password, or sets the first one. */
export function renewalWords(account) {
    return account.can_sign_in ? 'Reset password' : 'New invitation';
}

/** Creates a new link for an existing account after a confirmation, and shows it. */
export function RenewalDialog({ account, onCreated, onClose }) {
    const [invitation, setInvitation] = useState(null);
    const submission = useSubmission(async () => {
        setInvitation(await change('POST', `/admin/accounts/${account.id}/invitation`, {}));
        onCreated();
    });
    if (invitation) {
        return html`<${Dialog} title="A new link to set a password" onClose=${onClose}>
            <${LinkBox} email=${account.email} invitation=${invitation} onClose=${onClose} /><//>`;
    }
    return html`<${FormDialog} title=${`${renewalWords(account)}?`} submission=${submission} label="Create link"
            onClose=${onClose}>
        <p>The new link lets <strong class="foreign">${account.email}</strong> set${' '}
            ${account.can_sign_in ? 'another password. The current one is valid until then.' : 'a password.'}</p>
        <p>Older links that were not used stop working immediately.</p>
    <//>`;
}

/** Asks for an address, creates the account and shows its link. */
export function InviteDialog({ onCreated, onClose }) {
    const [email, setEmail] = useState('');
    const [isAdmin, setIsAdmin] = useState(false);
    const [created, setCreated] = useState(null);
    const submission = useSubmission(async () => {
        const body = { email: email.trim(), is_admin: isAdmin };
        setCreated(await change('POST', '/admin/accounts', body));
        onCreated();
    });
    if (created) {
        return html`<${Dialog} title="Account created" onClose=${onClose}>
            <${LinkBox} email=${created.email} invitation=${created} onClose=${onClose} /><//>`;
    }
    const { error } = submission;
    const isEmailWrong = error && (error.status === 400 || error.status === 409);
    return html`<${FormDialog} title="Invite a user" submission=${submission} error=${isEmailWrong ? null : error}
            label="Create link" onClose=${onClose}>
        <${Field} label="E-mail address" type="email" required autocomplete="off" value=${email}
            onValue=${setEmail} error=${isEmailWrong ? error.message : null}
            hint="No e-mail is sent. You get a link to send to the user." />
        <${Check} label="Administrator" isOn=${isAdmin} onValue=${setIsAdmin} />
    <//>`;
}
