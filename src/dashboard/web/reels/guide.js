// The next steps of a new account, until they are done or closed.
import { html } from 'htm/preact/standalone';
import { canAsk } from '../ask/ask_box.js';
import { get } from '../core/api.js';
import { useClosable } from '../ui/closable.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';

function Step({ isDone, children }) {
    return html`<li class="guide-step"><span class=${`status status-${isDone ? 'done' : 'pending'}`}>
        <${Icon} name=${isDone ? 'done' : 'pending'} /><span class="unseen">${isDone ? 'Done:' : 'To do:'}</span></span>
        <span>${children}</span></li>`;
}

/** The list; nothing after it was closed. For accounts whose only reels are of test links. */
export function Guide({ session }) {
    const [isOpen, close] = useClosable('reelsd-guide');
    const { data } = useLoading((signal) => get('/tokens', signal), []);
    const hasModel = canAsk(session);
    return isOpen && html`<section class="guide" aria-labelledby="guide">
        <div class="answer-head"><h2 id="guide">Next steps</h2>
            <button class="button button-plain button-small button-icon" type="button" aria-label="Close the next steps"
                onClick=${close}><${Icon} name="close" /></button></div>
        <ol>
            <${Step} isDone=${false}>Paste the link of your first reel, or upload a video.<//>
            <${Step} isDone=${data?.length > 0}><a href="/tokens">Create a token</a> for your programs, or for the
                client <code>reels</code>.<//>
            ${session.account.is_admin && html`<${Step} isDone=${hasModel}>Add a model: without one, nothing in
                the picture is named, and questions are not answered. See <a href="/admin?tab=models">Admin, Models</a>.<//>`}
        </ol>
    </section>`;
}
