// API tokens.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { change, get } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { createStore, useStore } from '../core/store.js';
import { CopyBox, CopyButton } from '../ui/copy.js';
import { Confirm } from '../ui/dialog.js';
import { Field, SelectField, useSubmission } from '../ui/field.js';
import { focusHeading, focusNear } from '../ui/focus.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { Time, useNow } from '../ui/time.js';
import { showToast } from '../ui/toast.js';
import { useTitle } from '../ui/title.js';

// The daemon shows it only once, so it must survive a visit to another page.
const createdStore = createStore(null);

const REFERENCE_KEY = 'reelsd-docs-token'; // As in the viewer of the API reference.

// The next user of this browser must not see it.
sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        createdStore.set(null);
        sessionStorage.removeItem(REFERENCE_KEY);
    }
});

const SCOPES = [['all', 'Everything'], ['read', 'Read only'], ['submit', 'Submit reels and read them']];
const SCOPE_HINTS = {
    all: 'Everything that you can do with reels, webhooks and your data.',
    read: 'Every GET request, without the signing secret of the webhook.',
    submit: 'Submits reels and reads them; no search, usage or export.',
};
const DAY_SECONDS = 24 * 3600;
const LIVES = [['0', 'Never'], ['7', 'In 7 days'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year']];

function scopeWords(scope) {
    return SCOPES.find(([name]) => name === scope)?.[1] ?? scope;
}

function submitLine(token) {
    return `curl ${location.origin}/api/v1/reels/analyze \\
  -H "Authorization: Bearer ${token}" \\
  -d '{"url": "https://www.instagram.com/reel/reelsd-sample/"}'`;
}

function listLine(token) {
    return `curl ${location.origin}/api/v1/reels \\
  -H "Authorization: Bearer ${token}"`;
}

function readLine(token) {
    return `curl "${location.origin}/api/v1/reels/ID?wait=60" \\
  -H "Authorization: Bearer ${token}"`;
}

function CurlBox({ label, line, what }) {
    return html`<div>
        <p class="label">${label}</p>
        <div class="copied">
            <pre class="code" tabindex="0" aria-label=${label}>${line}</pre>
            <${CopyButton} text=${line} what=${what} />
        </div>
    </div>`;
}

function CreateForm({ onCreated }) {
    const [name, setName] = useState('');
    const [scope, setScope] = useState('all');
    const [days, setDays] = useState('90');
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        const seconds = days === '0' ? null : Number(days) * DAY_SECONDS;
        const created = await change('POST', '/tokens', { name: name.trim(), scope, expires_in_seconds: seconds });
        setName('');
        onCreated(created);
    });
    const isNameWrong = error && (error.status === 400 || error.status === 409);
    return html`<form class="inline-form flow token-form" onSubmit=${submit} onInput=${clearError} noValidate>
        <${Field} label="Name of the new token" required maxlength="100" autocomplete="off"
            placeholder="Name of the program" value=${name} onValue=${setName}
            error=${isNameWrong ? error.message : null} />
        <${SelectField} label="Scope" value=${scope} onValue=${setScope} options=${SCOPES} hint=${SCOPE_HINTS[scope]} />
        <${SelectField} label="Expires" value=${days} onValue=${setDays} options=${LIVES} />
        <button class="button button-main" type="submit" disabled=${isBusy}>Create token</button>
        ${error && !isNameWrong && html`<${FailureNote} error=${error} />`}
    </form>`;
}

/** Opens the API reference with the token in its samples, which this tab forgets when it is closed. */
function openReference({ id, token }) {
    const account = sessionStore.get().session.account.id;
    sessionStorage.setItem(REFERENCE_KEY, JSON.stringify({ account, id, token }));
    location.assign('/docs/');
}

/** The new token; `takesFocus` focuses its copy button. */
function NewToken({ created, takesFocus, onClose }) {
    const element = useRef(null);
    useEffect(() => {
        if (takesFocus) {
            element.current.querySelector('button').focus();
        }
    }, []);
    return html`<section class="fresh stack" aria-labelledby="fresh" role="status" ref=${element}>
        <h2 id="fresh">Copy “${created.name}” now</h2>
        <p>It is shown only once.</p>
        <${CopyBox} text=${created.token} what="the token" />
        ${created.scope === 'read'
            ? html`<${CurlBox} label="List your reels with curl" line=${listLine(created.token)} what="the curl line" />`
            : html`<${CurlBox} label="Submit a reel with curl" line=${submitLine(created.token)} what="the curl line" />
                <${CurlBox} label="Read its analysis; ID is the number in the answer" line=${readLine(created.token)}
                    what="the second curl line" />`}
        <div class="flow">
            <button class="button" type="button" onClick=${() => openReference(created)}>Open the API reference with it</button>
            <button class="button" type="button" onClick=${onClose}>Done</button>
        </div>
    </section>`;
}

function TokenRow({ token, onRevoke }) {
    const element = useRef(null);
    const wasRevoked = useRef(Boolean(token.revoked_at));
    const now = useNow();
    const isExpired = token.expires_at !== undefined && Date.parse(token.expires_at) <= now;
    useEffect(() => {
        if (token.revoked_at && !wasRevoked.current && document.activeElement === document.body
                && !focusNear(element.current, '.button-danger')) {
            focusHeading();
        }
        wasRevoked.current = Boolean(token.revoked_at);
    }, [token.revoked_at]);
    return html`<li class=${`line ${token.revoked_at || isExpired ? 'line-over' : ''}`} ref=${element}>
        <div class="line-main flow">
            <h3 class="foreign">${token.name}</h3>
            <code>${token.prefix}…</code>
        </div>
        <dl class="line-facts">
            <div><dt>Created</dt><dd><${Time} value=${token.created_at} /></dd></div>
            <div><dt>Last used</dt><dd>${token.last_used_at
                ? html`<${Time} value=${token.last_used_at} />` : 'never'}</dd></div>
            <div><dt>Scope</dt><dd>${scopeWords(token.scope)}</dd></div>
            <div><dt>${isExpired ? 'Expired' : 'Expires'}</dt><dd>${token.expires_at
                ? html`<${Time} value=${token.expires_at} isAge=${false} />` : 'never'}</dd></div>
        </dl>
        <div class="line-tools flow">${token.revoked_at
            ? html`<span class="muted small">Revoked <${Time} value=${token.revoked_at} /></span>`
            : html`<button class="button button-small button-danger" type="button" onClick=${onRevoke}
                aria-label=${`Revoke ${token.name}`}>Revoke</button>`}</div>
    </li>`;
}

function RevokeDialog({ token, onRevoked, onClose }) {
    const run = async () => {
        await change('DELETE', `/tokens/${token.id}`);
        if (createdStore.get()?.id === token.id) {
            createdStore.set(null); // A revoked token must not be copied.
        }
        showToast(`“${token.name}” is revoked.`);
        onRevoked();
    };
    return html`<${Confirm} title=${`Revoke “${token.name}”?`} label="Revoke" run=${run} onClose=${onClose}>
        <p>Programs that use it are rejected immediately. This cannot be undone. Your reels remain.</p>
    <//>`;
}

/** The `/tokens` page. */
export function Page() {
    const { data, error, reload } = useLoading((signal) => get('/tokens', signal), []);
    const created = useStore(createdStore);
    const [revoked, setRevoked] = useState(null);
    const newest = useRef(null); // Created during this visit, not restored from an earlier one.
    useTitle('Tokens');
    const showCreated = (token) => {
        newest.current = token.id;
        createdStore.set(token);
        reload();
    };
    const hideCreated = () => {
        createdStore.set(null);
        document.querySelector('.inline-form .input').focus();
    };
    return html`
        <div class="page-head flow"><h1>Tokens</h1></div>
        <p class="lead">A token lets a program use the <a href="/docs/">API</a> as you.</p>
        <${CreateForm} onCreated=${showCreated} />
        ${created && html`<${NewToken} key=${created.id} created=${created}
            takesFocus=${newest.current === created.id} onClose=${hideCreated} />`}
        <section class="section" aria-labelledby="all-tokens">
            <div class="section-head flow"><h2 id="all-tokens">Your tokens</h2></div>
            ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
            ${!data && !error && html`<${Skeleton} count=${3} kind="line" />`}
            ${data && data.length === 0 && html`<${Empty} title="No tokens yet">
                <p>Use one token per program, named after it, so that you can revoke each separately.</p><//>`}
            ${data && data.length > 0 && html`<ul>${data.map((token) =>
                html`<${TokenRow} key=${token.id} token=${token} onRevoke=${() => setRevoked(token)} />`)}
            </ul>`}
        </section>
        ${revoked && html`<${RevokeDialog} token=${revoked} onRevoked=${reload}
            onClose=${() => setRevoked(null)} />`}`;
}
