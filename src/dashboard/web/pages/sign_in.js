// The sign-in page.
import { html, useState } from 'htm/preact/standalone';
import { signIn } from '../core/session.js';
import { Field, PasswordField, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';

/** The `/sign-in` page; its parent decides where to go afterwards. */
export function Page() {
    const [email, setEmail] = useState('');
    const [password, setPassword] = useState('');
    const { isBusy, error, submit } = useSubmission(async () => {
        try {
            await signIn(email.trim(), password);
        } catch (why) {
            if (why.status === 401) { // Other errors do not mean that the password is wrong.
                setPassword('');
            }
            throw why;
        }
    });
    const isRefused = error?.status === 401 && password === '';
    useTitle('Sign in');
    return html`<div class="sign-in-page">
        <h1>Sign in</h1>
        <p>reelsd reads Instagram reels: what is said, shown and written in them, with times.</p>
        <form class="stack" onSubmit=${submit} noValidate>
            <${Field} label="E-mail address" type="email" autocomplete="username" required
                autofocus value=${email} onValue=${setEmail} />
            <${PasswordField} label="Password" autocomplete="current-password" required
                value=${password} onValue=${setPassword}
                aria-invalid=${isRefused ? 'true' : undefined} />
            ${error && html`<${FailureNote} error=${error} />`}
            <button class="button button-main" type="submit" disabled=${isBusy}>
                ${isBusy ? 'Signing in…' : 'Sign in'}</button>
        </form>
        <p class="muted small">No account, or a forgotten password? An administrator can send you a link. On the
            server, <code>reelsd account invite</code> prints one.</p>
    </div>`;
}
