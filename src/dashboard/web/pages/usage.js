// Usage and cost.
import { html, useMemo, useState } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { pathWithQuery } from '../core/routes.js';
import { formatDay } from '../text/times.js';
import { Choices } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';
import { Budget } from '../usage/budget.js';
import { Chart } from '../usage/chart.js';
import { dayColumns, modelName, modelSums, purposeName, reelColumns, SERIES_MAX } from '../usage/grouping.js';
import { Limits } from '../usage/limits.js';
import { RangePicker } from '../usage/range_picker.js';
import { daysBetween, rangeDays } from '../usage/ranges.js';
import { DayTable, ReelTable, SumTable } from '../usage/tables.js';

const MEASURES = [['money', 'Money'], ['tokens', 'Tokens'], ['reels', 'Reels']];
const SPLITS = [['model', 'By model'], ['purpose', 'By purpose']];
const NAMES = { model: modelName, purpose: purposeName };

/** The message instead of an empty chart. */
function emptyWords(rows, measure) {
    if (measure !== 'money') {
        return `No ${measure} on these days.`;
    }
    return rows.some((row) => row.cost_usd === null || row.unpriced_calls > 0)
        ? 'The cost of these days is unknown: some models have no price.' : 'No cost on these days.';
}

function labelOf(range, measure, split) {
    const days = `${formatDay(range.from)} to ${formatDay(range.to)}`;
    return measure === 'reels' ? `Reels done by day, ${days}`
        : `${measure === 'money' ? 'Cost' : 'Tokens'} by day and ${split}, ${days}; the tables below hold the numbers`;
}

/** `rows` are by day, model and purpose; `days` are the usage's `by_day`. */
function Usage({ rows, days, range, measure, split }) {
    const nameOf = NAMES[split];
    // Names keep their colours when the measure changes.
    const names = useMemo(() => modelSums(rows, 'tokens', nameOf).map(({ name }) => name), [rows, split]);
    const columns = useMemo(() => {
        const dates = daysBetween(range.from, range.to);
        return measure === 'reels' ? reelColumns(days, dates) : dayColumns(rows, dates, names, measure, nameOf);
    }, [rows, days, range.from, range.to, measure, names]);
    const seriesIn = (name) => (shown) => split === name && measure !== 'reels'
        ? Math.min(names.indexOf(shown), SERIES_MAX - 1) : null;
    const hasPurposes = new Set(rows.map(purposeName)).size > 1;
    const hasDays = new Set(rows.map(({ date }) => date)).size > 1;
    return html`
        ${columns.some((column) => column.total > 0)
            ? html`<${Chart} columns=${columns} measure=${measure} label=${labelOf(range, measure, split)} />`
            : html`<p class="padded muted">${emptyWords(rows, measure)}</p>`}
        ${measure === 'reels' ? html`<${ReelTable} days=${days} />` : html`
        ${hasPurposes && html`<section class="section" aria-labelledby="by-purpose">
            <div class="section-head flow"><h2 id="by-purpose">By purpose</h2></div>
            <${SumTable} label="Usage by purpose" head="Purpose" rows=${rows} nameOf=${purposeName}
                names=${modelSums(rows, measure, purposeName).map(({ name }) => name)} seriesOf=${seriesIn('purpose')} />
        </section>`}
        <section class="section" aria-labelledby="by-model">
            <div class="section-head flow"><h2 id="by-model">By model</h2></div>
            <${SumTable} label="Usage by model" head="Model" rows=${rows} nameOf=${modelName}
                names=${modelSums(rows, measure).map(({ name }) => name)} seriesOf=${seriesIn('model')} />
        </section>
        ${hasDays && html`<section class="section" aria-labelledby="by-day">
            <div class="section-head flow"><h2 id="by-day">By day</h2>
                <span class="muted small">Days are in UTC.</span></div>
            <${DayTable} rows=${rows} />
        </section>`}`}`;
}

/** Rows by day, model and purpose, and sums by day. */
async function loadUsage(days, signal) {
    const [rows, usage] = await Promise.all([
        get(pathWithQuery('/reels/usage/days', days), signal), get(pathWithQuery('/reels/usage', days), signal)]);
    return { rows, days: usage.by_day };
}

/** The `/usage` page. */
export function Page() {
    const [range, setRange] = useState({ name: '30', ...rangeDays('30', Date.now()) });
    const [chosen, setMeasure] = useState(null);
    const [split, setSplit] = useState('model');
    const days = { from: range.from, to: range.to };
    const { data, error, reload } = useLoading((signal) => loadUsage(days, signal), [range.from, range.to]);
    // Without cost, the number of reels is what there is to see.
    const measure = chosen ?? (data?.rows.some(({ cost_usd: cost }) => cost > 0) === false ? 'reels' : 'money');
    useTitle('Usage');
    return html`<div>
        <div class="page-head flow">
            <h1>Usage</h1>
            <div class="tools"><a class="button" download
                href=${pathWithQuery('/dashboard/api/reels/usage/days.csv', days)}>
                <${Icon} name="download" />Download CSV</a></div>
        </div>
        <${Budget} />
        <div class="usage-tools flow">
            <${RangePicker} range=${range} onRange=${setRange} />
            ${measure !== 'reels' && html`<${Choices} label="Split by" options=${SPLITS} value=${split}
                onValue=${setSplit} />`}
            <${Choices} label="Measure" options=${MEASURES} value=${measure} onValue=${setMeasure} />
        </div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${3} />`}
        ${data && (data.rows.length === 0 && data.days.length === 0
            ? html`<${Empty} title="No usage on these days">
                <p>This page counts reels, and shows the tokens and cost of each call of a model, even after the
                reel is deleted.</p>
                <p><a class="button" href="/">Analyse a reel</a></p><//>`
            : html`<${Usage} rows=${data.rows} days=${data.days} range=${range} measure=${measure} split=${split} />`)}
        <${Limits} />
    </div>`;
}
