// Selects the range of days.
import { html, useState } from 'htm/preact/standalone';
import { Choices, Field } from '../ui/field.js';
import { RANGES, rangeDays, rangeProblem } from './ranges.js';

function CustomRange({ days, onDays }) {
    const [from, setFrom] = useState(days.from);
    const [to, setTo] = useState(days.to);
    const [problem, setProblem] = useState(null);
    const submit = (event) => {
        event.preventDefault();
        const found = rangeProblem(from, to);
        setProblem(found);
        if (!found) {
            onDays({ from, to });
        }
    };
    return html`<form class="inline-form flow" onSubmit=${submit} noValidate>
        <${Field} label="From" type="date" value=${from} onValue=${setFrom} max=${to} error=${problem} />
        <${Field} label="To" type="date" value=${to} onValue=${setTo} min=${from} />
        <button class="button" type="submit">Show</button>
    </form>`;
}

/** `range` is `{name, from, to}`; `onRange` receives the new one. */
export function RangePicker({ range, onRange }) {
    const choose = (name) => onRange(name === 'custom'
        ? { ...range, name } : { name, ...rangeDays(name, Date.now()) });
    return html`
        <${Choices} label="Days" options=${RANGES} value=${range.name} onValue=${choose} />
        ${range.name === 'custom' && html`<${CustomRange} days=${range}
            onDays=${(days) => onRange({ name: 'custom', ...days })} />`}`;
}
