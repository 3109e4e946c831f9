// Usage tables: by model and by day.
import { html } from 'htm/preact/standalone';
import { AudioTime, Money } from '../reel/cost.js';
import { formatCount } from '../text/numbers.js';
import { formatDay } from '../text/times.js';
import { modelName, purposeName, seriesStyle, sumMoney } from './grouping.js';

function sumOf(rows) {
    const priced = rows.filter((row) => row.cost_usd !== null);
    return {
        calls: rows.reduce((sum, row) => sum + row.calls, 0),
        prompt_tokens: rows.reduce((sum, row) => sum + row.prompt_tokens, 0),
        output_tokens: rows.reduce((sum, row) => sum + row.output_tokens, 0),
        total_tokens: rows.reduce((sum, row) => sum + row.total_tokens, 0),
        audio_seconds: rows.reduce((sum, row) => sum + (row.audio_seconds ?? 0), 0),
        cost_usd: priced.length > 0 ? sumMoney(priced.map((row) => row.cost_usd)) : null,
        unpriced_calls: rows.reduce((sum, row) => sum + (row.unpriced_calls ?? 0), 0),
    };
}

function Numbers({ sum }) {
    return html`
        <td class="number"><${Money} dollars=${sum.cost_usd} />${sum.unpriced_calls > 0
            && html`<span class="muted" title=${`${sum.unpriced_calls} calls have no price`}> +?</span>`}</td>
        <td class="number">${formatCount(sum.calls)}</td>
        <td class="number">${formatCount(sum.total_tokens)}</td>
        <td class="number token-detail">${formatCount(sum.prompt_tokens)}</td>
        <td class="number token-detail">${formatCount(sum.output_tokens)}</td>
        <td class="number token-detail"><${AudioTime} seconds=${sum.audio_seconds} /></td>`;
}

// Cost first; columns that do not fit on a phone last.
const NUMBER_HEADS = ['Cost', 'Calls', 'Tokens'];
const DETAIL_HEADS = ['Prompt tokens', 'Output tokens', 'Audio'];

function Table({ label, heads, isLong = false, children }) {
    return html`<div class=${`table-frame ${isLong ? 'table-long' : ''}`} tabindex="0" role="region" aria-label=${label}>
        <table class="table">
            <thead><tr>
                ${heads.map((head) => html`<th key=${head} scope="col">${head}</th>`)}
                ${NUMBER_HEADS.map((head) => html`<th key=${head} scope="col" class="number">${head}</th>`)}
                ${DETAIL_HEADS.map((head) =>
                    html`<th key=${head} scope="col" class="number token-detail">${head}</th>`)}
            </tr></thead>
            ${children}
        </table>
    </div>`;
}

/**
 * One row per name that `nameOf` gives to rows, with its chart colour in `seriesOf(name)`, or null; `label` and `head` describe
 * the table, `names` is the order.
 */
export function SumTable({ label, head, rows, names, nameOf, seriesOf }) {
    const sums = new Map(names.map((name) => [name, sumOf(rows.filter((row) => nameOf(row) === name))]));
    return html`<${Table} label=${label} heads=${[head]}>
        <tbody>${names.map((name) => html`<tr key=${name}>
            <th scope="row" class="foreign">
                ${seriesOf(name) !== null && html`<i class="swatch series"
                    style=${seriesStyle(seriesOf(name))}></i>`}${name}</th>
            <${Numbers} sum=${sums.get(name)} />
        </tr>`)}</tbody>
        <tfoot><tr><th scope="row">All</th><${Numbers} sum=${sumOf(rows)} /></tr></tfoot>
    <//>`;
}

/** One row per day, model and purpose, latest day first. */
export function DayTable({ rows }) {
    const latestFirst = [...rows].reverse();
    return html`<${Table} label="Usage by day and model" heads=${['Day', 'Model']} isLong>
        <tbody>${latestFirst.map((row, index) => html`<tr key=${`${row.date} ${row.provider} ${row.model} ${row.purpose}`}>
            <td class="number-like"><span class=${row.date === latestFirst[index - 1]?.date ? 'muted' : ''}>
                ${formatDay(row.date)}</span></td>
            <td class="foreign">${modelName(row)} <span class="muted small">${purposeName(row).toLowerCase()}</span></td>
            <${Numbers} sum=${row} />
        </tr>`)}</tbody>
    <//>`;
}

/** The reels done by day, latest day first; `days` are the usage's `by_day`. */
export function ReelTable({ days }) {
    const latestFirst = days.filter(({ reels }) => reels > 0).reverse();
    return latestFirst.length > 0 && html`<section class="section" aria-labelledby="reels-by-day">
        <div class="section-head flow"><h2 id="reels-by-day">Done by day</h2>
            <span class="muted small">Days are in UTC.</span></div>
        <table class="table table-narrow">
            <thead><tr><th scope="col">Day</th><th scope="col" class="number">Reels</th></tr></thead>
            <tbody>${latestFirst.map(({ date, reels }) => html`<tr key=${date}>
                <td>${formatDay(date)}</td><td class="number">${formatCount(reels)}</td></tr>`)}</tbody>
            <tfoot><tr><th scope="row">All</th><td class="number">${
                formatCount(latestFirst.reduce((sum, { reels }) => sum + reels, 0))}</td></tr></tfoot>
        </table>
    </section>`;
}
