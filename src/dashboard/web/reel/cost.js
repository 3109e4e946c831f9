// Cost of one reel, by model call.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { countOf, exactMoney, formatCount, formatMoney } from '../text/numbers.js';
import { useLoading } from '../ui/loading.js';
import { formatLength } from '../text/times.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { purposeName } from '../usage/grouping.js';

/** Dollars, exact in the title; an unknown cost is shown as such. */
export function Money({ dollars }) {
    return typeof dollars === 'number'
        ? html`<span title=${`$${exactMoney(dollars)}`}>${formatMoney(dollars)}</span>`
        : html`<span class="muted" title="There is no price for this model">not priced</span>`;
}

/** The length of transcribed audio, exact in the title; a dash for none. */
export function AudioTime({ seconds }) {
    return seconds > 0
        ? html`<span title=${`${seconds} s`}>${formatLength(seconds)}</span>`
        : html`<span class="muted">–</span>`;
}

function Call({ call }) {
    return html`<tr>
        <td><span class="foreign">${call.model || call.provider}</span>
            <span class="muted small"> ${call.provider}${call.purpose && `, ${purposeName(call).toLowerCase()}`}</span></td>
        <td class="number">${call.is_under_way ? 'under way' : html`<${Money} dollars=${call.cost_usd} />`}</td>
        <td class="number-like"><${Time} value=${call.called_at} isAge=${false} /></td>
        <td class="number">${formatCount(call.prompt_tokens)}</td>
        <td class="number">${formatCount(call.cached_prompt_tokens)}</td>
        <td class="number">${formatCount(call.output_tokens)}</td>
        <td class="number">${formatCount(call.thinking_tokens)}</td>
        <td class="number"><${AudioTime} seconds=${call.audio_seconds} /></td>
    </tr>`;
}

function CallTable({ usage }) {
    return html`<div class="table-frame" tabindex="0" role="region" aria-label="Model calls of this reel">
        <table class="table">
            <thead><tr>
                <th scope="col">Model</th><th scope="col" class="number">Cost</th><th scope="col">Called</th>
                <th scope="col" class="number">Prompt tokens</th><th scope="col" class="number">Cached</th>
                <th scope="col" class="number">Output tokens</th>
                <th scope="col" class="number">Reasoning</th>
                <th scope="col" class="number">Audio</th>
            </tr></thead>
            <tbody>${usage.calls.map((call) => html`<${Call} key=${call.number} call=${call} />`)}</tbody>
            <tfoot><tr>
                <th scope="row">Total</th>
                <td class="number"><${Money} dollars=${usage.total_cost_usd} /></td><td colspan="6"></td>
            </tr></tfoot>
        </table>
    </div>
    ${usage.unpriced_calls > 0 && html`<p class="small muted">The total is
        without ${countOf(usage.unpriced_calls, 'call')} that ${usage.unpriced_calls === 1 ? 'has' : 'have'} no
        price.</p>`}`;
}

/** Whether no call has used anything that costs, as those of the analysis without a model. */
function isFree({ calls }) {
    return calls.every(({ is_under_way: isUnderWay, cost_usd: cost, prompt_tokens: prompt, output_tokens: output }) =>
        !isUnderWay && cost === 0 && prompt === 0 && output === 0);
}

/** The section on cost, nothing for a reel without calls of paid models; a change of `changed` reloads the calls. */
export function Cost({ id, changed }) {
    const { data, error, reload } = useLoading((signal) => get(`/reels/${id}/usage`, signal), [id, changed]);
    return data?.calls.length !== 0 && html`<section class="section" aria-labelledby="cost">
        <div class="section-head flow"><h2 id="cost">Cost</h2></div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${2} kind="line" />`}
        ${data && (isFree(data) ? html`<p class="padded muted">No cost.</p>` : html`<${CallTable} usage=${data} />`)}
    </section>`;
}
