// Search and filters above the list. Their values are stored in the address.
import { html, useEffect, useRef, useState } from 'htm/preact/standalone';
import { Choices } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { STATUS_WORDS } from './labels.js';

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

/** `filter` is `{q, status, author}`, each a string; `onFilter` receives the changed fields. */
export function Toolbar({ filter, onFilter }) {
    const search = useTyped(filter.q, (q) => onFilter({ q }));
    const author = useTyped(filter.author, (name) => onFilter({ author: name.replace(/^@/, '') }));
    const submit = (event) => {
        event.preventDefault();
        search.handOn(search.text);
        author.handOn(author.text);
    };
    const clearOnEscape = (typed) => (event) => {
        if (event.key === 'Escape' && typed.text !== '') {
            event.preventDefault();
            typed.setText('');
            typed.handOn('');
        }
    };
    const field = useRef(null);
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
        ${filter.q === '' && html`
            <${Choices} label="Status" options=${STATUS_CHOICES} value=${filter.status}
                onValue=${(status) => onFilter({ status })} />
            <div class="authorbox">
                <label class="unseen" for="author">Author</label>
                <input class="input" id="author" type="search" autocomplete="off" spellcheck=${false}
                    placeholder="Author" value=${author.text} maxlength="100"
                    onInput=${(event) => author.setText(event.target.value)}
                    onKeyDown=${clearOnEscape(author)} />
            </div>`}
    </form>`;
}
