// The signing secret, hidden until the user reveals it.
import { html, useState } from 'htm/preact/standalone';
import { change } from '../core/api.js';
import { CopyButton } from '../ui/copy.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';

const HIDDEN = 'whsec_••••••••••••••••••••';

function RotateDialog({ onRotated, onClose }) {
    const run = async () => {
        onRotated(await change('POST', '/webhook/rotate'));
        showToast('New secret created. The old one remains valid for 24 hours.');
    };
    return html`<${Confirm} title="Create a new secret?" label="Create a new secret" run=${run} onClose=${onClose}>
        <p>For 24 hours, all requests are signed with both secrets, so that you can update your programs.
            After that, only the new secret is used.</p>
    <//>`;
}

/** The section on the secret, folded as long as nothing is signed; `onChanged` receives the settings after a rotation. */
export function Secret({ settings, isFolded, onChanged }) {
    const [isUnfolded, setIsUnfolded] = useState(!isFolded);
    const [isShown, setIsShown] = useState(false);
    const [isAsking, setIsAsking] = useState(false);
    if (!isUnfolded) {
        return html`<p class="section"><button class="link" type="button" onClick=${() => setIsUnfolded(true)}>
            Signing secret</button> <span class="muted small">It signs each request, also those to addresses that
            programs name with a reel.</span></p>`;
    }
    return html`<section class="section stack" aria-labelledby="secret">
        <div class="section-head flow"><h2 id="secret">Signing secret</h2></div>
        <p class="lead">Each request is signed with it, so that your program can <a
            href="/docs/#description/verify-the-signature">verify its origin</a>. It also signs requests to addresses
            that programs name with a reel.</p>
        <div class="copied secret">
            <span class="code" aria-label=${isShown ? undefined : 'The secret is hidden'}
                role=${isShown ? undefined : 'img'}>${isShown ? settings.secret : HIDDEN}</span>
            <button class="button" type="button" aria-pressed=${String(isShown)}
                onClick=${() => setIsShown(!isShown)}>${isShown ? 'Hide' : 'Show'}</button>
            <${CopyButton} text=${settings.secret} what="the secret" />
        </div>
        ${settings.previous_secret_expires_at && html`<p class="small">The previous secret also signs until
            ${' '}<${Time} value=${settings.previous_secret_expires_at} isAge=${false} />.</p>`}
        <div class="flow">
            <button class="button" type="button" onClick=${() => setIsAsking(true)}>Create a new secret</button>
        </div>
        ${isAsking && html`<${RotateDialog} onRotated=${onChanged} onClose=${() => setIsAsking(false)} />`}
    </section>`;
}
