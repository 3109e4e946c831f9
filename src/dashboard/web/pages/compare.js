// Two analyses of a post side by side.
import { html, useMemo, useState } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { comparisonRows } from '../compare/rows.js';
import { Money } from '../reel/cost.js';
import { optionWords } from '../reel/option_words.js';
import { headlineOf } from '../reels/row.js';
import { countOf } from '../text/numbers.js';
import { Check } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { useTitle } from '../ui/title.js';
import { Page as NotFound } from './not_found.js';

const SIDES = ['Earlier', 'Later'];

async function loadSide(id, signal) {
    const [reel, usage] = await Promise.all([get(`/reels/${id}`, signal), get(`/reels/${id}/usage`, signal)]);
    return { reel, usage };
}

/** Of the analysis alone: a reel's embedding and questions say nothing about it. */
function Cost({ usage }) {
    const calls = usage.calls.filter(({ purpose, provider }) => purpose === 'analysis' && provider !== 'local');
    const isPriced = calls.every((call) => typeof call.cost_usd === 'number');
    const dollars = isPriced ? calls.reduce((sum, call) => sum + call.cost_usd, 0) : null;
    return calls.length === 0 ? html`no paid model` : html`<${Money} dollars=${dollars} />
        <span class="muted"> for ${countOf(calls.length, 'call')}</span>`;
}

/** The head of a side: which analysis it is, by whom and at which cost. */
function Side({ side, number }) {
    const { reel, usage } = side;
    const model = reel.result?.metadata.model;
    return html`<section class="compare-side" aria-label=${`${SIDES[number]} analysis`}>
        <h2><a href=${`/reels/${reel.id}`}>${SIDES[number]} analysis</a></h2>
        <dl class="fact-list">
            <div><dt>Submitted</dt><dd><${Time} value=${reel.created_at} /></dd></div>
            ${model && html`<div><dt>Analysed by</dt><dd class="foreign">${model.name}
                <span class="muted"> (${model.provider})</span></dd></div>`}
            ${optionWords(reel.options).map(([name, words]) => html`<div key=${name}>
                <dt>${name}</dt><dd class="foreign" dir="auto">${words}</dd></div>`)}
            <div><dt>Cost</dt><dd><${Cost} usage=${usage} /></dd></div>
        </dl>
    </section>`;
}

/** Parts or entries of a side; the marked ones are in this side only. */
function Parts({ kind, parts, number }) {
    const marked = ({ text, isMarked }) => isMarked
        ? html`<mark class=${`only only-${number}`}>${text}</mark>` : text;
    if (parts.length === 0) {
        return html`<p class="muted">none</p>`;
    }
    return kind === 'list'
        ? html`<ul class="bullets">${parts.map((part, index) => html`<li key=${index} class="foreign"
            dir="auto">${marked(part)}</li>`)}</ul>`
        : html`<p class="foreign" dir="auto">${parts.map(marked)}</p>`;
}

function Row({ row }) {
    return html`<section class="compare-row" aria-label=${row.label}>
        <h3>${row.label}${row.isSame && html` <span class="muted small">the same</span>`}</h3>
        ${row.sides.map((parts, number) => html`<div key=${number} class=${`compare-cell ${row.isSame && number === 1 ? 'compare-repeated' : ''}`}>
            <p class="compare-which small muted" aria-hidden="true">${SIDES[number]}</p>
            <${Parts} kind=${row.kind} parts=${parts} number=${number} />
        </div>`)}
    </section>`;
}

function Comparison({ sides }) {
    const [onlyDifferent, setOnlyDifferent] = useState(true);
    const rows = useMemo(() => comparisonRows(sides[0].reel, sides[1].reel), [sides]);
    const different = rows.filter((row) => !row.isSame);
    const shown = onlyDifferent ? different : rows;
    return html`
        <div class="compare-heads">${sides.map((side, number) =>
            html`<${Side} key=${side.reel.id} side=${side} number=${number} />`)}</div>
        <div class="compare-tools flow">
            <p role="status">${different.length === 0 ? 'The analyses do not differ.'
                : `${different.length} of ${rows.length} parts differ. Text in one analysis only is marked.`}</p>
            <${Check} label="Show only differences" isOn=${onlyDifferent} onValue=${setOnlyDifferent} />
        </div>
        ${shown.map((row) => html`<${Row} key=${row.label} row=${row} />`)}`;
}

/** The page `/reels/{id}/compare/{other}`. */
export function Page({ place }) {
    const { id, other } = place.route;
    const { data, error, reload } = useLoading(
        (signal) => Promise.all([id, other].map(Number).sort((left, right) => left - right)
            .map((one) => loadSide(one, signal))), [id, other]);
    useTitle('Compare analyses');
    if (error?.status === 404) {
        return html`<${NotFound} what="reel" />`;
    }
    const isDone = data?.every(({ reel }) => reel.status === 'done');
    return html`<article class="stack">
        <header>
            <p class="crumbs"><a href=${`/reels/${id}`}><${Icon} name="back" />The reel</a></p>
            <h1>Compare analyses</h1>
            ${data && html`<p class="foreign" dir="auto">${headlineOf({
                url: data[0].reel.url, summary: data[0].reel.result?.content.summary })}</p>`}
        </header>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        ${!data && !error && html`<${Skeleton} count=${4} />`}
        ${data && (isDone ? html`<${Comparison} sides=${data} />`
            : html`<p>Both analyses must be done. <button class="button button-small" type="button"
                onClick=${reload}>Check again</button></p>`)}
    </article>`;
}
