// The search above the list, and the filters in its head. Their values are stored in the address.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { readTags, TAG_LENGTH_MAX } from '../tags/tags.js';
import { Choices } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { DateFilter } from './date_filter.js';
import { STATUS_WORDS } from './labels.js';
import { readNewest } from './list.js';
import { SavedSearches } from './saved_searches.js';

const TYPING_MILLISECONDS = 300; // Longest pause between two key presses of a slow typist.

const STATUS_CHOICES = [['', 'All'], ...Object.entries(STATUS_WORDS)];

/** A debounced text, passed on when typing pauses, or immediately on Enter: `{text, setText, handOn}`. */
function useTyped(value, onValue) {
    const [text, setTyped] = useState(value);
    const timer = useRef(0);
    const handed = useRef(value);
    // Synchronously, so that it does not replace what is typed next.
    useLayoutEffect(() => {
        if (value !== handed.current) { // Changed by another component.
            handed.current = value;
            setTyped(value);
        }
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
    const followKey = (event) => {
        if (event.key === 'ArrowDown') {
            event.preventDefault();
            document.querySelector('.row-title a')?.focus();
        }
        if (event.key === 'Escape' && search.text !== '') {
            event.preventDefault();
            clearSearch();
        }
    };
    return html`<form class="toolbar flow" role="search" onSubmit=${submit}>
        <div class="searchbox">
            <${Icon} name="search" />
            <label class="unseen" for="search">Search what is said, shown and written in your reels</label>
            <input class="input" id="search" type="search" ref=${field} autocomplete="off" maxlength="500"
                aria-keyshortcuts="/" placeholder="Search your reels"
                value=${search.text} onInput=${(event) => search.setText(event.target.value)}
                onKeyDown=${followKey} />
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

/** The option that `text` names: the one that equals it, otherwise the only one that begins with it, otherwise itself. */
function optionFor(text, options) {
    const typed = text.toLowerCase();
    const fitting = options.filter((option) => option.toLowerCase().startsWith(typed));
    const exact = fitting.find((option) => option.toLowerCase() === typed);
    return exact ?? (text !== '' && fitting.length === 1 ? fitting[0] : text);
}

/**
 * A text field of a filter, which takes effect on Enter or by a choice of what `load` resolves to: a part of a name fits no
 * reel. The options are loaded at each use of the field, and Enter waits for them.
 */
function FilterField({ id, label, value, onValue, load, ...rest }) {
    const [text, setText] = useState(value);
    const [options, setOptions] = useState([]);
    const loading = useRef(Promise.resolve([]));
    const typed = useRef(0); // Changes of the text, so that none is overwritten after a wait.
    useEffect(() => setText(value), [value]);
    useEffect(() => () => { typed.current += 1; }, []);
    const loadOptions = () => {
        loading.current = load().catch(() => options); // Suggestions are not necessary.
        loading.current.then(setOptions);
    };
    const apply = (now) => {
        const chosen = now.trim();
        setText(chosen);
        if (chosen !== value) {
            onValue(chosen);
        }
    };
    const type = ({ target, inputType }) => {
        typed.current += 1;
        const isChoice = !inputType || inputType === 'insertReplacementText';
        if (isChoice || target.value === '') {
            apply(target.value);
        } else {
            setText(target.value);
        }
    };
    const complete = async (now) => {
        const before = typed.current;
        const known = await loading.current;
        if (typed.current === before) {
            apply(optionFor(now.trim(), known));
        }
    };
    const followKey = (event) => {
        if (event.key === 'Enter') {
            complete(event.target.value);
        } else if (event.key === 'Escape' && text !== '') {
            event.preventDefault();
            typed.current += 1;
            apply('');
        }
    };
    return html`<div class="authorbox">
        <label class="unseen" for=${id}>${label}</label>
        <input class="input" id=${id} type="search" autocomplete="off" spellcheck=${false} placeholder=${label} value=${text}
            list=${`${id}-options`} onInput=${type} onKeyDown=${followKey} onFocus=${loadOptions}
            onBlur=${() => setText(value)} ...${rest} />
        <datalist id=${`${id}-options`}>${options.map((option) => html`<option key=${option} value=${option} />`)}</datalist>
    </div>`;
}

/** The authors of the newest reels; the API has no list of all. */
async function readAuthors(signal) {
    return [...new Set((await readNewest(signal)).map(({ author }) => author).filter(Boolean))].sort();
}

async function readTagNames(signal) {
    return (await readTags(signal)).map(({ tag }) => tag);
}

/**
 * The filters. `filter` is `{status, author, tag, from, to}`, each a string; `onFilter` receives the changed fields. A search
 * finds only done reels: it has no status. On a phone, a button shows them.
 */
export function Filters({ filter, isSearch, onFilter }) {
    const count = [!isSearch && filter.status, filter.author, filter.tag, filter.from || filter.to].filter(Boolean).length;
    const [isOpen, setIsOpen] = useState(count > 0);
    return html`<div class=${`filters flow ${isOpen ? 'filters-open' : ''}`} role="group" aria-label="Filters">
        <button class="button button-small filters-toggle" type="button" aria-expanded=${String(isOpen)}
            onClick=${() => setIsOpen(!isOpen)}><${Icon} name="filter" />Filter${count > 0 && ` (${count})`}</button>
        ${!isSearch && html`<${Choices} label="Status" options=${STATUS_CHOICES} value=${filter.status}
            onValue=${(status) => onFilter({ status })} />`}
        <${FilterField} id="author" label="Author" maxlength="100" load=${readAuthors} value=${filter.author}
            onValue=${(author) => onFilter({ author })} />
        <${FilterField} id="tag" label="Tag" maxlength=${TAG_LENGTH_MAX} load=${readTagNames} value=${filter.tag}
            onValue=${(tag) => onFilter({ tag })} />
        <${DateFilter} from=${filter.from} to=${filter.to} onFilter=${onFilter} />
    </div>`;
}
