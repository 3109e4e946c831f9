// Recent failures, grouped by cause, with a button to retry them.
import { html, useState } from 'htm/preact/standalone';
import { change, get } from '../core/api.js';
import { createStore, useStore } from '../core/store.js';
import { ErrorCode } from '../reel/progress.js';
import { shortLink } from '../reels/row.js';
import { countOf } from '../text/numbers.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';

const FAILURES_MAX = 50;

// Ids that were retried. The daemon does not mark them, so this prevents a second submission.
const retriedStore = createStore(new Set());

/** Whether another try may succeed: as `retryable` in the API. */
function canRetry(failure) {
    const isModelAway = ['model_unavailable', 'limit_reached'].includes(failure.attempts.at(-1)?.cause);
    return failure.error_code === 'model_failed' ? isModelAway
        : ['rate_limited', 'storage_error', 'download_failed', 'internal'].includes(failure.error_code);
}

function wordsFor(ids, cause) {
    if (cause.count === 1) {
        return 'Try again';
    }
    return ids.length < cause.count ? `Try the last ${ids.length} again` : `Try all ${ids.length} again`;
}

/** The post at the platform; an uploaded file has no address. */
function Source({ url }) {
    return url.startsWith('https://')
        ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${shortLink(url)}</a>` : shortLink(url);
}

function Causes({ causes, shown, onShow, recent, retried, isBusy, onRetry }) {
    return html`<ul>${causes.map((cause) => {
        const ids = recent.filter((one) => one.error_code === cause.error_code && canRetry(one) && !retried.has(one.id))
            .map((one) => one.id);
        const words = wordsFor(ids, cause);
        return html`<li key=${cause.error_code} class="line cause">
            <div class="line-main flow"><h3><${ErrorCode} code=${cause.error_code} /></h3></div>
            <p class="small muted">${countOf(cause.count, 'reel')}, ${cause.count > 1 && 'most recently '}<${Time}
                value=${cause.last_at} /></p>
            <div class="line-tools flow">
            ${cause.error_code === 'model_failed' && html`<a class="button button-small" href="/admin?tab=models">Models</a>`}
            ${causes.length > 1 && html`<button class="button button-small" type="button"
                aria-pressed=${shown === cause.error_code} aria-label=${`Show only ${cause.error_code}`}
                onClick=${() => onShow(shown === cause.error_code ? '' : cause.error_code)}>Show only these</button>`}
            ${ids.length > 0 && html`<button class="button button-small"
                type="button" disabled=${isBusy} onClick=${() => onRetry(ids)}
                aria-label=${`${words}: ${cause.error_code}`}>${words}</button>`}</div>
        </li>`;
    })}</ul>`;
}

/** Details for operators: each attempt of a failed reel with its cause. */
function Attempts({ attempts }) {
    return html`<details class="attempts">
        <summary>${countOf(attempts.length, 'failed attempt')}</summary>
        <ol>${attempts.map((one) => html`<li key=${one.attempt} value=${one.attempt}>
            <code>${one.cause}</code>${one.step && ` in step ${one.step}`},${' '}
            <${Time} value=${one.at} />, by ${one.worker}
            ${one.detail && html`<p class="muted">${one.detail}</p>`}
        </li>`)}</ol>
    </details>`;
}

function Recent({ failures, ownEmail, retried, isBusy, onRetry }) {
    return html`<div class="table-frame" tabindex="0" role="region" aria-label="Recent failures">
        <table class="table table-cards">
            <thead><tr><th scope="col">Reel</th><th scope="col">When</th><th scope="col">Link</th>
                <th scope="col">Account</th><th scope="col">Cause</th>
                <th scope="col"><span class="unseen">Try again</span></th></tr></thead>
            <tbody>${failures.map((one) => html`<tr key=${one.id}>
                <td class="number-like" data-label="Reel">${one.email === ownEmail
                    ? html`<a href=${`/reels/${one.id}`}>${one.id}</a>` : one.id}</td>
                <td class="number-like" data-label="When"><${Time} value=${one.finished_at} /></td>
                <td class="foreign" data-label="Link"><${Source} url=${one.url} /></td>
                <td class="foreign" data-label="Account">${one.email}</td>
                <td class="foreign" data-label="Cause"><div>${one.error} <${ErrorCode} code=${one.error_code} />
                    ${one.attempts.length > 0 && html`<${Attempts} attempts=${one.attempts} />`}</div></td>
                <td class="number">${retried.has(one.id)
                    ? html`<span class="muted small">Submitted again</span>`
                    : canRetry(one) && html`<button class="button button-small" type="button" disabled=${isBusy}
                        aria-label=${`Try again: reel ${one.id}`}
                        onClick=${() => onRetry([one.id])}>Try again</button>`}</td>
            </tr>`)}</tbody>
        </table>
    </div>`;
}

/** The sections on failures. */
export function Failures({ ownEmail }) {
    const { data, error, reload } = useLoading(
        (signal) => get(`/admin/failures?limit=${FAILURES_MAX}`, signal), []);
    const [isBusy, setIsBusy] = useState(false);
    const [code, setCode] = useState('');
    const retried = useStore(retriedStore);
    const retry = async (ids) => {
        setIsBusy(true);
        try {
            const { jobs } = await change('POST', '/admin/failures/retry', { ids });
            retriedStore.set(new Set([...retriedStore.get(), ...jobs.map((job) => job.id)]));
            showToast(`${countOf(jobs.length, 'reel')} submitted again for ${jobs.length === 1
                ? 'its account' : 'their accounts'}.`);
            reload();
        } catch (why) {
            showToast(why.message, { isFailure: true });
        }
        setIsBusy(false);
    };
    return html`
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${3} kind="line" />`}
        ${data && (data.recent.length === 0 && data.by_cause.length === 0
            ? html`<p class="padded muted">Nothing has failed in the last 7 days.</p>`
            : html`<section aria-labelledby="causes">
                <div class="section-head flow"><h2 id="causes">Causes</h2>
                    <span class="small muted">of the last 7 days</span></div>
                <${Causes} causes=${data.by_cause} recent=${data.recent} retried=${retried} isBusy=${isBusy}
                    onRetry=${retry} shown=${code} onShow=${setCode} />
            </section>
            <section class="section" aria-labelledby="failures">
                <div class="section-head flow"><h2 id="failures">Failed reels</h2></div>
                <${Recent} failures=${data.recent.filter((one) => !code || one.error_code === code)} ownEmail=${ownEmail}
                    retried=${retried} isBusy=${isBusy} onRetry=${retry} />
            </section>`)}`;
}
