// The log of deliveries and their outcomes.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { change, getPage } from '../core/api.js';
import { onLive } from '../core/live.js';
import { isAdministrator } from '../core/session.js';
import { withPage } from '../reels/merging.js';
import { useLoading, useRepetition } from '../ui/loading.js';
import { Icon } from '../ui/icons.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { State } from '../ui/status.js';
import { Time, useNow } from '../ui/time.js';
import { showToast } from '../ui/toast.js';
import { DeliveryDetails } from './delivery_details.js';
import { withNewest } from './delivery_list.js';
import { answerWords, nextTryWords, stateOf } from './delivery_state.js';

const PAGE_SIZE = 20;
const PAGE = `/webhook/deliveries?limit=${PAGE_SIZE}`;
const POLL_SECONDS = 3; // The first retry follows after five seconds.

function DeliveryRow({ delivery, isBusy, onAgain }) {
    const now = useNow();
    const next = nextTryWords(delivery, Math.max(now, Date.now()));
    const answer = answerWords(delivery, isAdministrator());
    const [isOpen, setIsOpen] = useState(false);
    const name = `${delivery.job_id ? `reel ${delivery.job_id}` : 'test'}, delivery ${delivery.id}`;
    const detailsId = `delivery-${delivery.id}`;
    return html`<li class="line delivery">
        <div class="line-main flow">
            <h3>${delivery.job_id ? html`<a href=${`/reels/${delivery.job_id}`}>Reel ${delivery.job_id}</a>` : 'Test'}</h3>
            <${State} ...${stateOf(delivery)} />
            ${delivery.search_id && html`<span class="small muted">Matches a saved search</span>`}
        </div>
        <dl class="line-facts">
            <div><dt>Last try</dt><dd>${delivery.tried_at
                ? html`<${Time} value=${delivery.tried_at} />` : 'none yet'}</dd></div>
            <div><dt>Tries</dt><dd>${delivery.tries}</dd></div>
            ${next && html`<div><dt>Next try</dt><dd>${next}</dd></div>`}
            <div class="fact-wide"><dt class="unseen">Address</dt>
                <dd class="foreign delivery-url">${delivery.url}</dd></div>
            ${answer && html`<div class="fact-wide"><dt class="unseen">Outcome</dt>
                <dd class="foreign">${answer}</dd></div>`}
        </dl>
        <div class="line-tools flow">
            ${delivery.job_id && html`<button class="button button-small" type="button" disabled=${isBusy}
                aria-label=${`Send again: ${name}`} onClick=${onAgain}><${Icon} name="again" />Send again</button>`}
            <button class="button button-small" type="button" aria-expanded=${String(isOpen)}
                aria-controls=${isOpen ? detailsId : undefined} aria-label=${`Details: ${name}`}
                onClick=${() => setIsOpen(!isOpen)}>Details<${Icon} name="below" /></button>
        </div>
        ${isOpen && html`<div class="delivery-details stack" id=${detailsId}>
            <${DeliveryDetails} delivery=${delivery} /></div>`}
    </li>`;
}

/** The section on deliveries; `hasAddress` says whether a default address is set. A new number of `tests` reloads it. */
export function DeliveryLog({ hasAddress, tests }) {
    const { data, error, reload } = useLoading((signal) => getPage(PAGE, signal), [tests]);
    const [list, setList] = useState({ deliveries: [], next: null });
    const [more, setMore] = useState({ isLoading: false, error: null });
    const [busy, setBusy] = useState(null);
    useEffect(() => data && setList((old) => withNewest(old.deliveries, old.next, data)), [data]);
    useEffect(() => onLive('reel', (reel) => ['done', 'error'].includes(reel.status) && reload()), []);
    useEffect(() => onLive('deleted', ({ id }) => setList((old) =>
        ({ ...old, deliveries: old.deliveries.filter((one) => one.job_id !== id) }))), []);
    useRepetition(() => list.deliveries.slice(0, PAGE_SIZE).some((one) => one.state === 'pending') && reload(), POLL_SECONDS);
    const loadMore = async () => {
        setMore({ isLoading: true, error: null });
        try {
            const page = await getPage(list.next);
            setList((old) => ({ deliveries: withPage(old.deliveries, page.items), next: page.next }));
            setMore({ isLoading: false, error: null });
        } catch (why) {
            setMore({ isLoading: false, error: why });
        }
    };
    const sendAgain = async (delivery) => {
        setBusy(delivery.id);
        try {
            const changed = await change('POST', `/webhook/deliveries/${delivery.id}/redeliver`);
            setList((old) => ({ ...old, deliveries: old.deliveries.map((one) => one.id === changed.id ? changed : one) }));
            showToast(`Reel ${delivery.job_id} will be sent again.`);
        } catch (why) {
            showToast(why.message, { isFailure: true });
        }
        setBusy(null);
        reload();
    };
    return html`<section class="section" aria-labelledby="deliveries">
        <div class="section-head flow"><h2 id="deliveries">Deliveries</h2></div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${3} kind="line" />`}
        ${data && list.deliveries.length === 0 && html`<p class="padded muted">Nothing has been sent
            in the last 7 days. ${hasAddress ? 'The next reel that ends appears here.' : 'To receive reels, save an address above.'}</p>`}
        <ul>${list.deliveries.map((one) => html`<${DeliveryRow} key=${one.id} delivery=${one}
            isBusy=${busy === one.id} onAgain=${() => sendAgain(one)} />`)}</ul>
        ${list.next && html`<div class="more">${more.error
            ? html`<${FailureNote} error=${more.error} onRetry=${loadMore} />`
            : html`<button class="button" type="button" disabled=${more.isLoading} onClick=${loadMore}>
                ${more.isLoading ? 'Loading…' : 'Show more'}</button>`}</div>`}
    </section>`;
}
