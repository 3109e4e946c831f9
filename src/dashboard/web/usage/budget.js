// Cost of today and this month, and the monthly budget if set.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { Money } from '../reel/cost.js';
import { countOf, formatMoney } from '../text/numbers.js';
import { formatMonth } from '../text/times.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';

const NEARLY_PERCENT = 80;

function Meter({ spent, budget }) {
    const percent = budget > 0 ? (spent / budget) * 100 : 100;
    const state = percent >= 100 ? 'over' : percent >= NEARLY_PERCENT ? 'nearly' : 'within';
    const words = { over: 'spent: new reels are rejected', nearly: 'nearly spent', within: '' };
    return html`<div class="budget">
        <div class=${`meter meter-${state}`} role="meter" aria-label="Spent of the monthly budget"
                aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(Math.min(100, percent))}
                aria-valuetext=${`${formatMoney(spent)} of ${formatMoney(budget)}`}>
            <span style=${{ width: `${Math.min(100, percent)}%` }}></span>
        </div>
        <p class="small">${Math.round(percent)}% of the monthly budget of ${formatMoney(budget)}${words[state] && html`, <strong>${words[state]}</strong>`}</p>
    </div>`;
}

/** The summary at the top of the page. */
export function Budget() {
    const { data, error, reload } = useLoading((signal) => get('/reels/usage/budget', signal), []);
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    if (!data) {
        return html`<${Skeleton} count=${1} />`;
    }
    const unpriced = data.unpriced_calls_this_month;
    const counted = data.spent_this_month_usd + (data.estimated_this_month_usd ?? 0);
    return html`<div class="totals">
        <div><p class="figure-name">Today</p>
            <p class="figure"><${Money} dollars=${data.spent_today_usd} /></p></div>
        <div><p class="figure-name">${formatMonth(data.month)}</p>
            <p class="figure"><${Money} dollars=${data.spent_this_month_usd} /></p>
            ${unpriced > 0 && html`<p class="small muted">without ${countOf(unpriced, 'call')} that${' '}
                ${unpriced === 1 ? 'has' : 'have'} no price, about ${formatMoney(data.estimated_this_month_usd ?? 0)}</p>`}</div>
        ${typeof data.monthly_budget_usd === 'number'
            && html`<${Meter} spent=${counted} budget=${data.monthly_budget_usd} />`}
    </div>`;
}
