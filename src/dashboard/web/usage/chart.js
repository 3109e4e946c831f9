// Usage as columns, one a day, stacked by model. The table beside it says the same in words.
import { html, useEffect, useRef, useState } from '../htm-preact.js';
import { formatMoney, formatShortCount } from '../text/numbers.js';
import { formatDay } from '../text/times.js';
import { axisOf } from './grouping.js';

const HEIGHT = 240;
const MARGIN = { top: 12, right: 4, bottom: 28, left: 56 };
const LABEL_WIDTH = 64; // Room for one day under the columns.

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

const wordsFor = { money: formatMoney, tokens: formatShortCount };

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
        ${column.parts.map((part) => html`<rect key=${part.name} class=${`series-${part.series}`}
            x=${xOf(index) + gap / 2} width=${Math.max(1, step - gap)} y=${yOf(part.to)}
            height=${Math.max(0.5, yOf(part.from) - yOf(part.to))} />`)}
    </g>`);
}

function Days({ columns, xOf, step }) {
    const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
    return columns.map((column, index) => index % every === 0 && index * step + LABEL_WIDTH / 2
            <= columns.length * step + step && html`
        <text key=${column.date} class="axis" x=${xOf(index) + step / 2} y=${HEIGHT - 8}
            text-anchor="middle">${formatDay(column.date)}</text>`);
}

/** What the column under the pointer holds, or how to find out. */
function Readout({ column, words }) {
    return html`<p class="readout" aria-hidden="true">${column
        ? html`<b>${formatDay(column.date)}</b> <span>${words(column.total)}</span>
            ${column.parts.map((part) => html`<span key=${part.name} class="key">
                <i class=${`swatch series-${part.series}`}></i>${part.name} ${words(part.amount)}</span>`)}`
        : 'Point at a day to see its sums.'}</p>`;
}

/** `columns` as of dayColumns(); `measure` is `money` or `tokens`; `label` is for screen readers. */
export function Chart({ columns, measure, label }) {
    const [element, width] = useWidth();
    const [chosen, setChosen] = useState(null);
    useEffect(() => setChosen(null), [columns]);
    const words = wordsFor[measure];
    const axis = axisOf(Math.max(0, ...columns.map((column) => column.total)));
    const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, columns.length);
    const xOf = (index) => MARGIN.left + index * step;
    const yOf = (amount) => HEIGHT - MARGIN.bottom
        - (amount / axis.top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
    return html`<figure class="chart" ref=${element}>
        <${Readout} column=${columns[chosen]} words=${words} />
        ${width > 0 && html`<svg width=${width} height=${HEIGHT} role="img" aria-label=${label}
                onMouseLeave=${() => setChosen(null)}>
            <${Axis} axis=${axis} width=${width} yOf=${yOf} words=${words} />
            <${Columns} columns=${columns} xOf=${xOf} step=${step} yOf=${yOf} chosen=${chosen}
                onChoose=${setChosen} />
            <${Days} columns=${columns} xOf=${xOf} step=${step} />
        </svg>`}
    </figure>`;
}
