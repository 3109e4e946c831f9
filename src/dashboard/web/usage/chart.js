// Usage as stacked columns, one per day. The table next to it has the same data.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { formatCount, formatMoney, formatShortCount } from '../text/numbers.js';
import { formatDay } from '../text/times.js';
import { axisOf, seriesStyle } from './grouping.js';

const HEIGHT = 240;
const MARGIN = { top: 12, right: 4, bottom: 28, left: 56 };
const WEEK = 7;
const LABEL_WIDTH = 64; // Width of a day's label, in pixels.

/** The width of an element in pixels, and the element's ref. */
function useWidth() {
    const element = useRef(null);
    const [width, setWidth] = useState(0);
    useEffect(() => {
        const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
        observer.observe(element.current);
        return () => observer.disconnect();
    }, []);
    return [element, width];
}

const wordsFor = { money: formatMoney, tokens: formatShortCount, reels: formatCount };

function Axis({ axis, width, yOf, words }) {
    return axis.marks.map((mark) => html`<g key=${mark}>
        <line class="grid" x1=${MARGIN.left} x2=${width - MARGIN.right} y1=${yOf(mark)} y2=${yOf(mark)} />
        <text class="axis" x=${MARGIN.left - 8} y=${yOf(mark) + 4} text-anchor="end">${words(mark)}</text>
    </g>`);
}

function Columns({ columns, xOf, step, yOf, chosen, onChoose }) {
    const gap = step > 8 ? Math.min(8, step * 0.25) : step > 3 ? 1 : 0;
    return columns.map((column, index) => html`<g key=${column.date}
            onMouseEnter=${() => onChoose(index)} onClick=${() => onChoose(index)}>
        <rect class=${`hit ${chosen === index ? 'hit-chosen' : ''}`} x=${xOf(index)} y=${MARGIN.top}
            width=${step} height=${HEIGHT - MARGIN.top - MARGIN.bottom} />
        ${column.parts.map((part) => html`<rect key=${part.name} class="series" style=${seriesStyle(part.series)}
            x=${xOf(index) + gap / 2} width=${Math.max(1, step - gap)} y=${yOf(part.to)}
            height=${Math.max(0.5, yOf(part.from) - yOf(part.to))} />`)}
    </g>`);
}

/** Labels below the columns, at even distances from the last day, which is usually today. */
function Days({ columns, xOf, step }) {
    const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
    const last = columns.length - 1;
    return columns.map((column, index) => {
        if ((last - index) % every !== 0) {
            return null;
        }
        const isAtEdge = index === last && step < LABEL_WIDTH;
        return html`<text key=${column.date} class="axis" y=${HEIGHT - 8}
            x=${xOf(index) + (isAtEdge ? step : step / 2)}
            text-anchor=${isAtEdge ? 'end' : 'middle'}>${formatDay(column.date)}</text>`;
    });
}

/** The values of the selected column, or how to select one. */
function Readout({ column, words }) {
    return html`<p class="readout flow muted small" aria-hidden="true">${column
        ? html`<b>${formatDay(column.date)}</b> <span>${words(column.total)}</span>
            ${column.parts.map((part) => html`<span key=${part.name} class="key">
                <i class="swatch series" style=${seriesStyle(part.series)}></i>${part.name}${' '}
                ${words(part.amount)}</span>`)}`
        : 'Choose a day to see its totals.'}</p>`;
}

function sumsInWords({ total, parts }, words) {
    const models = parts.map((part) => `${part.name} ${words(part.amount)}`);
    return [words(total), ...models].join(', ');
}

/** The focusable cursor that arrow keys move between days; transparent to the pointer. */
function DaySlider({ columns, chosen, onChoose, words }) {
    const last = columns.length - 1;
    const at = Math.min(chosen ?? last, last); // There may be fewer days than at the selection.
    const followKey = (event) => {
        const next = {
            ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - WEEK,
            PageUp: at + WEEK, Home: 0, End: last,
        }[event.key];
        if (next !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            onChoose(Math.min(last, Math.max(0, next)));
        }
    };
    return html`<div class="chart-days" role="slider" tabindex="0" aria-label="Day" aria-valuemin="0"
        aria-valuemax=${last} aria-valuenow=${at}
        aria-valuetext=${`${formatDay(columns[at].date, true)}: ${sumsInWords(columns[at], words)}`}
        onKeyDown=${followKey} onFocus=${() => onChoose(at)} onBlur=${() => onChoose(null)}></div>`;
}

/** `columns` are from dayColumns(); `measure` is `money`, `tokens` or `reels`; `label` is for screen readers. */
export function Chart({ columns, measure, label }) {
    const [element, width] = useWidth();
    const [chosen, setChosen] = useState(null);
    useEffect(() => setChosen(null), [columns]);
    const words = wordsFor[measure];
    const axis = axisOf(Math.max(0, ...columns.map((column) => column.total)), measure === 'reels');
    const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, columns.length);
    const xOf = (index) => MARGIN.left + index * step;
    const yOf = (amount) => HEIGHT - MARGIN.bottom
        - (amount / axis.top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
    return html`<figure class="chart" ref=${element}>
        <${Readout} column=${columns[chosen]} words=${words} />
        <div class="chart-body">
            ${width > 0 && html`<svg width=${width} height=${HEIGHT} role="img" aria-label=${label}
                    onMouseLeave=${() => setChosen(null)}>
                <${Axis} axis=${axis} width=${width} yOf=${yOf} words=${words} />
                <${Columns} columns=${columns} xOf=${xOf} step=${step} yOf=${yOf} chosen=${chosen}
                    onChoose=${setChosen} />
                <${Days} columns=${columns} xOf=${xOf} step=${step} />
            </svg>`}
            <${DaySlider} columns=${columns} chosen=${chosen} onChoose=${setChosen} words=${words} />
        </div>
    </figure>`;
}
