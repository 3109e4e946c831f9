// The search above the list, and the filters in its head. Their values are stored in the address.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { readTags, TAG_LENGTH_MAX } from '../tags/tags.js';
import { Choices } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useLoading } from '../ui/loading.js';
import { DateFilter } from './date_filter.js';
import { STATUS_WORDS } from './labels.js';
import { SavedSearches } from './saved_searches.js';

const TYPING_MILLISECONDS = 300; // Longest pause between two key presses of a slow typist.

const STATUS_CHOICES = [['', 'All'], ...Object.entries(STATUS_WORDS)];

/** A debounced text, passed on when typing pauses, or immediately on Enter: `{text, setText, handOn}`. */
function useTyped(value, onValue) {
    const [text, setTyped] = useState(value);
    const timer = useRef(0);
    const handed = useRef(value);
    useEffect(() => {
        if (value !== handed.current) { // Changed by another component.
            handed.current = value;
            setTyped(value);
        }
        return undefined;
    }, [value]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const handOn = (now) => {
        clearTimeout(timer.current);
        handed.current = now.trim();
        onValue(now.trim());
    };
    const setText = (now) => {
        setTyped(now);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => handOn(now), TYPING_MILLISECONDS);
    };
    return { text, setText, handOn };
}

function clearOnEscape(typed) {
    return (event) => {
        if (event.key === 'Escape' && typed.text !== '') {
            event.preventDefault();
            typed.setText('');
            typed.handOn('');
        }
    };
}

/**
 * The search. `query` is a string; `onQuery` receives the changed one. `ask` is `{isOpen, onToggle}` of the questions'
 * box, or null without questions. `children` follow.
 */
export function Toolbar({ query, onQuery, ask, children }) {
    const search = useTyped(query, onQuery);
    const field = useRef(null);
    const submit = (event) => {
        event.preventDefault();
        search.handOn(search.text);
    };
    const clearSearch = () => {
        search.setText('');
        search.handOn('');
        field.current.focus();
    };
    return html`<form class="toolbar" role="search" onSubmit=${submit}>
        <div class="searchbox">
            <${Icon} name="search" />
            <label class="unseen" for="search">Search what is said, shown and written in your reels</label>
            <input class="input" id="search" type="search" ref=${field} autocomplete="off" maxlength="500"
                aria-keyshortcuts="/" placeholder="Search your reels"
                value=${search.text} onInput=${(event) => search.setText(event.target.value)}
                onKeyDown=${clearOnEscape(search)} />
            ${search.text !== '' && html`<button class="button button-plain button-icon searchbox-clear"
                type="button" aria-label="Clear the search" onClick=${clearSearch}>
                <${Icon} name="close" /></button>`}
            <kbd aria-hidden="true">/</kbd>
        </div>
        ${ask && html`<button class="button" type="button" aria-expanded=${String(ask.isOpen)}
            onClick=${ask.onToggle}>Ask a question</button>`}
        <${SavedSearches} />
        ${children}
    </form>`;
}

/** The account's tags, offered in the field; loaded when it is used first. */
function TagOptions() {
    const { data } = useLoading(readTags, []);
    return html`<datalist id="tags">${(data ?? []).map(({ tag }) => html`<option key=${tag} value=${tag} />`)}</datalist>`;
}

/** A text field of a filter. `typed` is of useTyped(). */
function FilterField({ id, label, typed, ...rest }) {
    return html`<div class="authorbox">
        <label class="unseen" for=${id}>${label}</label>
        <input class="input" id=${id} type="search" autocomplete="off" spellcheck=${false} placeholder=${label}
            value=${typed.text} onInput=${(event) => typed.setText(event.target.value)}
            onKeyDown=${(event) => event.key === 'Enter' ? typed.handOn(typed.text) : clearOnEscape(typed)(event)} ...${rest} />
    </div>`;
}

/**
 * The filters. `filter` is `{status, author, tag, from, to}`, each a string; `onFilter` receives the changed fields. A search
 * finds only done reels, of all days: it has neither status nor dates. On a phone, a button shows them.
 */
export function Filters({ filter, isSearch, onFilter }) {
    const author = useTyped(filter.author, (name) => onFilter({ author: name.replace(/^@/, '') }));
    const tag = useTyped(filter.tag, (name) => onFilter({ tag: name }));
    const [hasTagOptions, setHasTagOptions] = useState(false);
    const ofList = isSearch ? [] : [filter.status, filter.from || filter.to];
    const count = [filter.author, filter.tag, ...ofList].filter(Boolean).length;
    const [isOpen, setIsOpen] = useState(count > 0);
    return html`<div class=${`filters ${isOpen ? 'filters-open' : ''}`} role="group" aria-label="Filters">
        <button class="button button-small filters-toggle" type="button" aria-expanded=${String(isOpen)}
            onClick=${() => setIsOpen(!isOpen)}><${Icon} name="filter" />Filter${count > 0 && ` (${count})`}</button>
        ${!isSearch && html`<${Choices} label="Status" options=${STATUS_CHOICES} value=${filter.status}
            onValue=${(status) => onFilter({ status })} />`}
        <${FilterField} id="author" label="Author" typed=${author} maxlength="100" />
        <${FilterField} id="tag" label="Tag" typed=${tag} maxlength=${TAG_LENGTH_MAX} list="tags"
            onFocus=${() => setHasTagOptions(true)} />
        ${hasTagOptions && html`<${TagOptions} />`}
        ${!isSearch && html`<${DateFilter} from=${filter.from} to=${filter.to} onFilter=${onFilter} />`}
    </div>`;
}
