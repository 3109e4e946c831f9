// Target of a setup or invitation link. The token is in the fragment, so that no log contains it.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { navigate } from '../core/navigation.js';
import { acceptInvitation, readInvitation } from '../core/session.js';
import { Field, PasswordField, useSubmission } from '../ui/field.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';

/** The daemon's lower bound; the daemon checks it again. */
export const PASSWORD_LENGTH_MIN = 10;

function JoinForm({ token, invitation }) {
    const isFirst = invitation.purpose === 'first_administrator';
    const asksForEmail = isFirst || !invitation.email;
    const [email, setEmail] = useState('');
    const [password, setPassword] = useState('');
    const form = useRef(null);
    // Browsers ignore `autofocus` when the address has a fragment.
    useEffect(() => form.current.querySelector('[autofocus]').focus(), []);
    const { isBusy, error, submit } = useSubmission(async () => {
        await acceptInvitation(token, asksForEmail ? email.trim() : null, password);
        navigate('/', true);
    });
    return html`<form class="stack" onSubmit=${submit} ref=${form} noValidate>
        <p>${isFirst
            ? 'This is the first account. It administers the server and can invite others.'
            : 'Choose a password to sign in.'}</p>
        ${asksForEmail
            ? html`<${Field} label="E-mail address" type="email" autocomplete="username" required
                autofocus value=${email} onValue=${setEmail} />`
            : html`<${Field} label="E-mail address" type="email" autocomplete="username" readonly
                value=${invitation.email} onValue=${() => {}} />`}
        <${PasswordField} label="Password" autocomplete="new-password" required
            autofocus=${!asksForEmail}
            minlength=${PASSWORD_LENGTH_MIN} maxlength="200" value=${password} onValue=${setPassword}
            hint=${`At least ${PASSWORD_LENGTH_MIN} characters; a few words are easier to remember than `
                + 'symbols.'} />
        ${error && html`<${FailureNote} error=${error} />`}
        <button class="button button-main" type="submit" disabled=${isBusy}>
            ${isFirst ? 'Create the account' : 'Set the password'}</button>
    </form>`;
}

/** The page `/join#token`. */
export function Page({ place }) {
    const token = place.fragment.slice(1);
    const { data, error, reload } = useLoading(async () => readInvitation(token), [token]);
    useTitle('Join');
    const isOver = error?.status === 404 || error?.status === 400;
    return html`<div class="sign-in-page">
        <h1>${data?.purpose === 'first_administrator' ? 'Set up reelsd' : 'Join reelsd'}</h1>
        ${error && html`<${FailureNote} error=${error} onRetry=${isOver ? undefined : reload} />`}
        ${isOver && html`<p>A link works once and for a limited time. Ask the operator of this server for
            a new one, or <a href="/sign-in">sign in</a> if you have a password.</p>`}
        ${!data && !error && html`<${Skeleton} count=${3} kind="line" />`}
        ${data && html`<${JoinForm} token=${token} invitation=${data} />`}
    </div>`;
}
