// Usage and cost.
import { html, useMemo, useState } from '../htm-preact.js';
import { get } from '../core/api.js';
import { pathWithQuery } from '../core/routes.js';
import { formatDay } from '../text/times.js';
import { Choices } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { Bones, Empty, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';
import { Budget } from '../usage/budget.js';
import { Chart } from '../usage/chart.js';
import { dayColumns, modelSums, SERIES_MAX } from '../usage/grouping.js';
import { RangePicker } from '../usage/range_picker.js';
import { daysBetween, rangeDays } from '../usage/ranges.js';
import { DayTable, ModelTable } from '../usage/tables.js';

const MEASURES = [['money', 'Money'], ['tokens', 'Tokens']];

/** The message instead of an empty chart. */
function emptyWords(rows, measure) {
    if (measure === 'tokens') {
        return 'No tokens on these days.';
    }
    return rows.some((row) => row.cost_usd === null || row.unpriced_calls > 0)
        ? 'The cost of these days is unknown: some models have no price.' : 'No cost on these days.';
}

function Usage({ rows, range, measure }) {
    // Models keep their colours when the measure changes.
    const order = useMemo(() => modelSums(rows, 'tokens').map(({ name }) => name), [rows]);
    const columns = useMemo(() => dayColumns(rows, daysBetween(range.from, range.to), order, measure),
        [rows, range.from, range.to, measure]);
    const seriesOf = (name) => Math.min(order.indexOf(name), SERIES_MAX - 1);
    const label = `${measure === 'money' ? 'Cost' : 'Tokens'} by day and model, `
        + `${formatDay(range.from)} to ${formatDay(range.to)}; the tables below hold the numbers`;
    return html`
        ${columns.some((column) => column.total > 0)
            ? html`<${Chart} columns=${columns} measure=${measure} label=${label} />`
            : html`<p class="padded muted">${emptyWords(rows, measure)}</p>`}
        <section class="section" aria-labelledby="by-model">
            <div class="section-head"><h2 id="by-model">By model</h2></div>
            <${ModelTable} rows=${rows} models=${modelSums(rows, measure)} seriesOf=${seriesOf} />
        </section>
        <section class="section" aria-labelledby="by-day">
            <div class="section-head"><h2 id="by-day">By day</h2>
                <span class="muted small">Days are in UTC.</span></div>
            <${DayTable} rows=${rows} />
        </section>`;
}

/** The page `/usage`. */
export function Page() {
    const [range, setRange] = useState({ name: '30', ...rangeDays('30', Date.now()) });
    const [measure, setMeasure] = useState('money');
    const days = { from: range.from, to: range.to };
    const { data, error, reload } = useLoading(
        (signal) => get(pathWithQuery('/reels/usage/days', days), signal), [range.from, range.to]);
    useTitle('Usage');
    return html`
        <div class="page-head">
            <h1>Usage</h1>
            <div class="tools"><a class="button" download
                href=${pathWithQuery('/dashboard/api/reels/usage/days.csv', days)}>
                <${Icon} name="download" />CSV of these days</a></div>
        </div>
        <${Budget} />
        <div class="usage-tools">
            <${RangePicker} range=${range} onRange=${setRange} />
            <${Choices} label="Measure" options=${MEASURES} value=${measure} onValue=${setMeasure} />
        </div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Bones} count=${3} />`}
        ${data && (data.length === 0
            ? html`<${Empty} title="No usage on these days">
                <p>This page shows the tokens and cost of each analysis by a model, even after its reel
                is deleted.</p><//>`
            : html`<${Usage} rows=${data} range=${range} measure=${measure} />`)}`;
}
