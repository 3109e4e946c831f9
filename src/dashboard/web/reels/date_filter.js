// The filter of the list by the day of submission.
import { html, useState } from 'htm/preact/standalone';
import { dayOf } from '../usage/ranges.js';
import { DATE_CHOICES, daysOfChoice, daysWithFrom, daysWithTo, nameOfDays } from './date_choices.js';

function Day({ label, value, onValue, ...rest }) {
    return html`<label class="datebox"><span class="small muted">${label}</span>
        <input class="input" type="date" value=${value} onChange=${(event) => onValue(event.target.value)} ...${rest} /></label>`;
}

/** `from` and `to` are days in UTC or empty; `onFilter` receives the changed ones. */
export function DateFilter({ from, to, onFilter }) {
    const [isCustom, setIsCustom] = useState(false);
    const now = Date.now();
    const name = isCustom ? 'custom' : nameOfDays(from, to, now);
    const choose = ({ target: { value } }) => {
        setIsCustom(value === 'custom');
        if (value !== 'custom') {
            onFilter(daysOfChoice(value, now));
        }
    };
    return html`
        <select class="input dates" aria-label="Submitted" value=${name} onChange=${choose}>
            ${DATE_CHOICES.map(([choice, words]) => html`<option key=${choice} value=${choice}>${words}</option>`)}
        </select>
        ${name === 'custom' && html`<div class="dates-custom">
            <${Day} label="From" value=${from} max=${dayOf(now)} onValue=${(day) => onFilter(daysWithFrom(day, to))} />
            <${Day} label="To" value=${to} onValue=${(day) => onFilter(daysWithTo(day, from))} />
            <span class="small muted">Days are in UTC.</span></div>`}`;
}
