// What a delivery sent and received.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { CopyButton } from '../ui/copy.js';
import { JsonText } from '../ui/json_text.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote } from '../ui/notes.js';
import { jsonOf, tookWords } from './delivery_state.js';

function Body({ body, label }) {
    const json = jsonOf(body);
    const text = json ?? body;
    return html`<div class="delivery-body">
        <div class="delivery-head flow"><h4>${label}</h4>
            <${CopyButton} text=${text} what=${label.toLowerCase()} isSmall /></div>
        ${json ? html`<${JsonText} text=${json} label=${label} />`
            : html`<pre class="code code-block foreign" tabindex="0" aria-label=${label}>${body}</pre>`}
    </div>`;
}

/** A delivery sends the reel as the API returns it. */
function SentReel({ id, label }) {
    const { data, error, reload } = useLoading((signal) => get(`/reels/${id}`, signal), [id]);
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    return data ? html`<${Body} body=${JSON.stringify(data)} label=${label} />`
        : html`<p class="muted small" role="status">Loading…</p>`;
}

/** The request and the answer of the last try. */
export function DeliveryDetails({ delivery }) {
    const took = tookWords(delivery);
    return html`
        <dl class="line-facts">
            ${delivery.status_code && html`<div><dt>Status</dt><dd>${delivery.status_code}</dd></div>`}
            ${took && html`<div><dt>Latency</dt><dd>${took}</dd></div>`}
            <div class="fact-wide"><dt>webhook-id</dt><dd><code class="foreign">${delivery.webhook_id}</code></dd></div>
        </dl>
        ${delivery.body ? html`<${Body} body=${delivery.body} label="Response body" />`
            : html`<p class="muted small">${delivery.status_code ? 'The response had no body.' : 'There was no response.'}</p>`}
        ${delivery.sent_body && html`<${Body} body=${delivery.sent_body} label="Request body" />`}
        ${delivery.job_id && html`<${SentReel} id=${delivery.job_id}
            label=${delivery.search_id ? 'Reel in the request body' : 'Request body'} />`}`;
}
