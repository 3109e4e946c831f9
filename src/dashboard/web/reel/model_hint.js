// What a model would add to a reel that this server has analysed itself.
import { html } from 'htm/preact/standalone';
import { canAsk } from '../ask/ask_box.js';
import { useClosable } from '../ui/closable.js';
import { Icon } from '../ui/icons.js';

function advice(session) {
    if (canAsk(session)) {
        return 'This server has a model now: choose “Analyse again”.';
    }
    return session.account.is_admin
        ? html`<a href="/admin?tab=models">Add a model</a>`
        : 'An administrator can add a model.';
}

/** The hint; nothing for results of models, and once it was closed. */
export function ModelHint({ result, session }) {
    const [isOpen, close] = useClosable('reelsd-model-hint');
    return isOpen && result.metadata.model.provider === 'local' && html`<aside class="hint" aria-label="About models">
        <p class="small muted">Analysed without a model. A model also names what the picture shows, describes the
            setting, and answers questions. ${advice(session)}</p>
        <button class="button button-plain button-small button-icon" type="button" aria-label="Close this hint"
            onClick=${close}><${Icon} name="close" /></button>
    </aside>`;
}
