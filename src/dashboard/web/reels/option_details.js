// The collapsed options of a submission.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { sessionStore } from '../core/session.js';
import { useStore } from '../core/store.js';
import { NO_OPTIONS, optionMembers, schemaProblem, supportedFields } from './option_members.js';
import { Options } from './options.js';

/**
 * The options of a form, with the fields `chosen`: `members()` returns those of the submission, or null after it has shown
 * what is wrong with the schema; `shown` are props of OptionDetails. `onChange` receives the fields that the user changed.
 */
export function useOptions(chosen, onChange) {
    const analyzers = useStore(sessionStore).session?.analyzers ?? [];
    const fields = supportedFields(chosen, analyzers);
    const [checks, setChecks] = useState(0);
    const members = () => {
        const isWrong = schemaProblem(fields) !== null;
        setChecks(isWrong ? checks + 1 : 0);
        return isWrong ? null : optionMembers(fields);
    };
    const onFields = (news) => onChange({ ...fields, ...news });
    return { members, shown: { fields, analyzers, checks, onFields } };
}

/**
 * The options of a form; `message` is the server's error about one, which opens them. `children` is a further option,
 * which counts if `isChildSet`.
 */
export function OptionDetails({ fields, analyzers, message, checks, onFields, isChildSet, children }) {
    const [isOpen, setIsOpen] = useState(false);
    useEffect(() => {
        if (message || checks) {
            setIsOpen(true);
        }
    }, [message, checks]);
    const count = Object.entries(fields).filter(([name, value]) => name !== 'schema' && value !== '').length;
    const shownCount = count + (isChildSet ? 1 : 0);
    return html`<details class="option-details" open=${isOpen} onToggle=${(event) => setIsOpen(event.target.open)}>
        <summary>Options${shownCount > 0 && html` <span class="muted">(${shownCount})</span>`}</summary>
        ${isOpen && children}
        ${isOpen && html`<${Options} fields=${fields} analyzers=${analyzers} message=${message}
            checks=${checks} onFields=${onFields} />`}
        ${isOpen && count > 0 && html`<button class="button button-plain button-small" type="button"
            onClick=${() => onFields(NO_OPTIONS)}>Reset the options</button>`}
    </details>`;
}
