// The filter of the list by the day of submission.
import { html, useState } from 'htm/preact/standalone';
import { dayOf } from '../usage/ranges.js';
import { appliesAtOnce, DATE_CHOICES, daysOfChoice, daysWithFrom, daysWithTo, FIRST_DAY, nameOfDays } from './date_choices.js';

/** `applies` tells whether a day can be used while it is being typed; another one is used once its field is left. */
function Day({ label, value, applies, onValue, ...rest }) {
    const [typed, setTyped] = useState(null);
    const change = ({ target }) => {
        setTyped(target.value);
        if (applies(target.value)) {
            onValue(target.value);
        }
    };
    const end = () => {
        if (typed !== null && typed !== value && typed >= FIRST_DAY) {
            onValue(typed);
        }
        setTyped(null);
    };
    return html`<label class="datebox"><span class="small muted">${label}</span>
        <input class="input" type="date" value=${typed ?? value} min=${FIRST_DAY} onChange=${change} onBlur=${end}
            onKeyDown=${(event) => event.key === 'Enter' && end()} ...${rest} /></label>`;
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
        ${name === 'custom' && html`<div class="dates-custom flow">
            <${Day} label="From" value=${from} max=${dayOf(now)} applies=${(day) => appliesAtOnce(day, to)}
                onValue=${(day) => onFilter(daysWithFrom(day, to))} />
            <${Day} label="To" value=${to} applies=${(day) => appliesAtOnce(from, day)}
                onValue=${(day) => onFilter(daysWithTo(day, from))} />
            <span class="small muted">Days are in UTC.</span></div>`}`;
}
