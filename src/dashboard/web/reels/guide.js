// The next steps of a new account, until they are done or closed.
import { html, useState } from 'htm/preact/standalone';
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

/**
 * One line with the first step that is left, which unfolds; nothing once all are done, or after it was closed.
 * `hasOwnReel` says whether a reel is not of a test link.
 */
export function Guide({ session, hasOwnReel }) {
    const [isOpen, close] = useClosable('reelsd-guide');
    const [isUnfolded, setIsUnfolded] = useState(false);
    const { data: tokens } = useLoading((signal) => get('/tokens', signal), []);
    const steps = [
        [hasOwnReel, html`Paste the link of a reel of your own, or upload a video.`],
        [tokens?.length > 0, html`<a href="/tokens">Create a token</a> for your programs, or for the client <code>reels</code>.`],
        ...session.account.is_admin ? [[canAsk(session), html`<a href="/admin?tab=models">Add a model</a>: without one, nothing
            in the picture is named, and questions are not answered.`]] : [],
    ];
    const left = steps.filter(([isDone]) => !isDone);
    if (!isOpen || !tokens || left.length === 0) {
        return null;
    }
    return html`<section class="guide" aria-labelledby="guide">
        <div class="guide-line">
            <h2 id="guide">Next steps</h2>
            <span class="muted">${steps.length - left.length} of ${steps.length} done</span>
            ${!isUnfolded && html`<span class="guide-next cut">${left[0][1]}</span>`}
            <button class="button button-plain button-small" type="button" aria-expanded=${String(isUnfolded)}
                onClick=${() => setIsUnfolded(!isUnfolded)}>${isUnfolded ? 'Fewer' : 'All steps'}</button>
            <button class="button button-plain button-small button-icon" type="button" aria-label="Close the next steps"
                onClick=${close}><${Icon} name="close" /></button>
        </div>
        ${isUnfolded && html`<ol>${steps.map(([isDone, words], index) => html`<${Step} key=${index}
            isDone=${isDone}>${words}<//>`)}</ol>`}
    </section>`;
}
