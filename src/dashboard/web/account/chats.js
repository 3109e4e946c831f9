// Chats linked to the account, and the code that links another one.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { change, get } from '../core/api.js';
import { CopyBox } from '../ui/copy.js';
import { Confirm } from '../ui/dialog.js';
import { useSubmission } from '../ui/field.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';

// While a code is valid, its chat may be linked at any moment.
const LOOK_SECONDS = 3;

/** The current code, until it is used or expires. */
function NewCode({ code, bot, onClose }) {
    return html`<section class="fresh stack" aria-labelledby="fresh-code" role="status">
        <h3 id="fresh-code">Send this code to ${bot ? `@${bot}` : 'the bot'} in Telegram</h3>
        <p>It links one chat and is valid for 15 minutes. In a group, send it as${' '}
            <code>/link${bot ? `@${bot}` : ''} ${code.code}</code>: all its members can then use your account
            through the bot.</p>
        <${CopyBox} text=${code.code} what="the code" />
        <div class="flow">
            ${code.link && html`<a class="button button-main" href=${code.link} target="_blank"
                rel="noreferrer">Open in Telegram</a>`}
            <button class="button" type="button" onClick=${onClose}>Close</button>
        </div>
    </section>`;
}

function ChatRow({ chat, onUnlink }) {
    return html`<li class="line">
        <div class="line-main flow"><h3 class="foreign">${chat.name}</h3></div>
        <dl class="line-facts">
            <div><dt>Kind</dt><dd>${chat.kind === 'group' ? 'Group' : 'Private chat'}</dd></div>
            <div><dt>Linked</dt><dd><${Time} value=${chat.linked_at} /></dd></div>
        </dl>
        <div class="line-tools flow"><button class="button button-small button-danger" type="button"
            onClick=${onUnlink} aria-label=${`Unlink ${chat.name}`}>Unlink</button></div>
    </li>`;
}

function UnlinkDialog({ chat, onUnlinked, onClose }) {
    const run = async () => {
        await change('DELETE', `/chats/${chat.id}`);
        showToast(`“${chat.name}” is unlinked.`);
        onUnlinked();
    };
    return html`<${Confirm} title=${`Unlink “${chat.name}”?`} label="Unlink" run=${run} onClose=${onClose}>
        <p>The bot no longer answers there. Your reels remain.</p>
    <//>`;
}

/** What the section would offer, for users of a server without a bot. */
function NoBot({ isAdmin }) {
    return html`<section class="section" aria-labelledby="chats">
        <div class="section-head flow"><h2 id="chats">Chats</h2></div>
        <p class="padded muted">This server has no Telegram bot. With one, you can send it links and videos, and read the
            summaries there. ${isAdmin ? html`Create a bot and set its token (<code>telegram-token</code>).`
                : 'The operator of this server can add one.'}</p>
    </section>`;
}

/** Section of the `/account` page. */
export function Chats({ isAdmin }) {
    const { data, error, reload } = useLoading((signal) => get('/chats', signal), []);
    const [code, setCode] = useState(null);
    const [unlinked, setUnlinked] = useState(null);
    const { isBusy, error: codeError, submit } = useSubmission(async () => {
        setCode({ ...await change('POST', '/chats/codes', {}), knownIds: data.chats.map(({ id }) => id) });
    });
    useEffect(() => {
        if (!code) {
            return undefined;
        }
        const timer = setInterval(() => {
            if (new Date(code.expires_at) <= new Date()) {
                setCode(null);
            }
            reload();
        }, LOOK_SECONDS * 1000);
        return () => clearInterval(timer);
    }, [code]);
    useEffect(() => {
        const newChat = code && data?.chats.find(({ id }) => !code.knownIds.includes(id));
        if (newChat) {
            setCode(null);
            showToast(`“${newChat.name}” is linked.`);
        }
    }, [data]);
    if (data && !data.bot && data.chats.length === 0) {
        return html`<${NoBot} isAdmin=${isAdmin} />`;
    }
    return html`<section class="section stack" aria-labelledby="chats">
        <div class="section-head flow">
            <h2 id="chats">Chats</h2>
            ${data?.bot && html`<form class="tools" onSubmit=${submit}>
                <button class="button button-small" type="submit" disabled=${isBusy}>Link a chat</button>
            </form>`}
        </div>
        <p class="lead">Send links to the bot${data?.bot?.username ? ` @${data.bot.username}` : ''} on Telegram,
            and read the summary there. Limits and costs are those of your account.</p>
        ${codeError && html`<${FailureNote} error=${codeError} />`}
        ${code && html`<${NewCode} code=${code} bot=${data?.bot?.username} onClose=${() => setCode(null)} />`}
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${1} kind="line" />`}
        ${data && data.chats.length === 0 && !code && html`<${Empty} title="No chats yet">
            <p>Choose <b>Link a chat</b>, and send the code to the bot.</p><//>`}
        ${data && data.chats.length > 0 && html`<ul>${data.chats.map((chat) =>
            html`<${ChatRow} key=${chat.id} chat=${chat} onUnlink=${() => setUnlinked(chat)} />`)}</ul>`}
        ${unlinked && html`<${UnlinkDialog} chat=${unlinked} onUnlinked=${reload} onClose=${() => setUnlinked(null)} />`}
    </section>`;
}
