// Webhooks: notifications of finished reels.
import { html, useState } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';
import { AddressForm } from '../webhooks/address_form.js';
import { DeliveryLog } from '../webhooks/log.js';
import { Secret } from '../webhooks/secret.js';

/** The `/webhooks` page. */
export function Page() {
    const { data, error, reload, setData } = useLoading((signal) => get('/webhook', signal), []);
    const [tests, setTests] = useState(0);
    useTitle('Webhooks');
    return html`
        <div class="page-head flow"><h1>Webhooks</h1></div>
        <p class="lead">When a reel is done or has failed, it is sent to your program, as in
            the <a href="/docs/#description/webhooks">guide to webhooks</a>.</p>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${2} kind="line" />`}
        ${data && html`<${AddressForm} settings=${data} onChanged=${setData}
            onTested=${() => setTests((count) => count + 1)} />`}
        ${data && html`<${Secret} key=${Boolean(data.url)} settings=${data} isFolded=${!data.url} onChanged=${setData} />`}
        <${DeliveryLog} hasAddress=${Boolean(data?.url)} tests=${tests} />`;
}
