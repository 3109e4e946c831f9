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
import { dayColumns, modelName, modelSums, purposeName, SERIES_MAX } from '../usage/grouping.js';
import { RangePicker } from '../usage/range_picker.js';
import { daysBetween, rangeDays } from '../usage/ranges.js';
import { DayTable, SumTable } from '../usage/tables.js';

const MEASURES = [['money', 'Money'], ['tokens', 'Tokens']];

/** The message instead of an empty chart. */
function emptyWords(rows, measure) {
    if (measure === 'tokens') {
        return 'No tokens on these days.';
    }
    return rows.some((row) => row.cost_usd === null || row.unpriced_calls > 0)
        ? 'The cost of these days is unknown: some models have no price.' : 'No cost on these days.';
}

const SPLITS = [['model', 'By model'], ['purpose', 'By purpose']];
const NAMES = { model: modelName, purpose: purposeName };

function Usage({ rows, range, measure, split }) {
    const nameOf = NAMES[split];
    const order = (names) => modelSums(rows, 'tokens', names).map(({ name }) => name);
    // Names keep their colours when the measure changes.
    const names = useMemo(() => order(nameOf), [rows, split]);
    const columns = useMemo(() => dayColumns(rows, daysBetween(range.from, range.to), names, measure, nameOf),
        [rows, range.from, range.to, measure, names]);
    const seriesIn = (name) => (shown) => split === name ? Math.min(names.indexOf(shown), SERIES_MAX - 1) : null;
    const label = `${measure === 'money' ? 'Cost' : 'Tokens'} by day and ${split}, `
        + `${formatDay(range.from)} to ${formatDay(range.to)}; the tables below hold the numbers`;
    return html`
        ${columns.some((column) => column.total > 0)
            ? html`<${Chart} columns=${columns} measure=${measure} label=${label} />`
            : html`<p class="padded muted">${emptyWords(rows, measure)}</p>`}
        <section class="section" aria-labelledby="by-purpose">
            <div class="section-head"><h2 id="by-purpose">By purpose</h2></div>
            <${SumTable} label="Usage by purpose" head="Purpose" rows=${rows} nameOf=${purposeName}
                names=${modelSums(rows, measure, purposeName).map(({ name }) => name)} seriesOf=${seriesIn('purpose')} />
        </section>
        <section class="section" aria-labelledby="by-model">
            <div class="section-head"><h2 id="by-model">By model</h2></div>
            <${SumTable} label="Usage by model" head="Model" rows=${rows} nameOf=${modelName}
                names=${modelSums(rows, measure).map(({ name }) => name)} seriesOf=${seriesIn('model')} />
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
    const [split, setSplit] = useState('model');
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
            <${Choices} label="Parts of a column" options=${SPLITS} value=${split} onValue=${setSplit} />
            <${Choices} label="Measure" options=${MEASURES} value=${measure} onValue=${setMeasure} />
        </div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Bones} count=${3} />`}
        ${data && (data.length === 0
            ? html`<${Empty} title="No usage on these days">
                <p>This page shows the tokens and cost of each analysis by a model, even after its reel
                is deleted.</p><//>`
            : html`<${Usage} rows=${data} range=${range} measure=${measure} split=${split} />`)}`;
}
