// Shown until the platform first answers this server, or the user closes it: pasted links will probably fail.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { useStore } from '../core/store.js';
import { useClosable } from '../ui/closable.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';

/** The notice, with setting names for administrators; nothing once the platform has answered. */
export function PlatformNotice() {
    const { data } = useLoading((signal) => get('/platform', signal), []);
    const { session } = useStore(sessionStore);
    const [isOpen, close] = useClosable('reelsd-platform-notice');
    return isOpen && data?.never_answered && html`<div class="note note-warn platform-notice">
        <${Icon} name="warning" />
        <div class="note-body">
            <h2>Instagram has never answered this server</h2>
            <p>It may block the server's address. ${session?.account.is_admin
                ? html`Set a proxy (<code>platform-proxy</code>) or your own session
                    (<code>platform-cookies-file</code>), or upload videos instead of pasting links.${' '}
                    <a href="/admin?tab=access">Check the access</a>`
                : 'Upload the video instead of pasting its link, or ask the operator of this server.'}</p>
        </div>
        <button class="button button-plain button-small button-icon" type="button" aria-label="Close this notice"
            onClick=${close}><${Icon} name="close" /></button>
    </div>`;
}
