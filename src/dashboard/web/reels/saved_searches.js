// The list of saved searches, and the button that saves one.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { useSubmission } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { loadSaved, removeSearch, savedStore, saveSearch } from './saved.js';

/** Whether two authors, each of which may be missing, are the same. */
const isAuthor = (one, other) => (one ?? '').toLowerCase() === other.toLowerCase();

/** Saves the search for `query` in the reels of `author`, if any; it is known to be saved once the list has loaded. */
export function SaveSearch({ query, author }) {
    const { searches } = useStore(savedStore);
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        await saveSearch(query, author);
        showToast('Saved. New reels that match are reported to your webhooks and chats.');
    });
    useEffect(clearError, [query, author]);
    useEffect(() => {
        if (searches === null) {
            loadSaved();
        }
    }, []);
    const stored = query.normalize('NFC'); // As the server stores it.
    if (searches?.some((saved) => saved.query === stored && isAuthor(saved.author, author))) {
        return html`<span class="muted small">Saved</span>`;
    }
    return html`
        <button class="button button-small" type="button" disabled=${isBusy}
            onClick=${submit}>Save this search</button>
        ${error && html`<${FailureNote} error=${error} />`}`;
}

function SavedSearch({ saved }) {
    const remove = async (event) => {
        const item = event.currentTarget.closest('li');
        const menu = item.closest('.menu').firstElementChild;
        const next = item.nextElementSibling ?? item.previousElementSibling; // Unknown once the item has disappeared.
        try {
            await removeSearch(saved.id);
            (next?.isConnected ? next.querySelector('a') : menu).focus();
        } catch (why) {
            showToast(`The search was not deleted: ${why.message}`, { isFailure: true });
        }
    };
    return html`<li>
        <a class="foreign" dir="auto" href=${pathWithQuery('/', { q: saved.query, author: saved.author })}>${saved.name}</a>
        ${saved.author && !saved.name.endsWith(`(${saved.author})`)
            && html`<span class="muted small foreign">${saved.author}</span>`}
        <button class="button button-plain button-small button-icon" type="button" onClick=${remove}
            aria-label=${`Delete the search: ${saved.name}`} title="Delete"><${Icon} name="trash" /></button>
    </li>`;
}

/** The menu of saved searches; they load when it is opened. */
export function SavedSearches() {
    const { searches, error } = useStore(savedStore);
    const load = () => searches ?? loadSaved();
    return html`<${Menu} label="Saved" name="Saved searches" onOpen=${load}>
        ${error && html`<${FailureNote} error=${error} onRetry=${loadSaved} />`}
        ${!searches && !error && html`<p class="muted small" role="status">Loading…</p>`}
        ${searches?.length === 0 && html`<p class="muted small">None yet. Search, then save the search: new reels that
            match are reported to your webhooks and chats.</p>`}
        ${searches?.length > 0 && html`<ul class="saved-list">${searches.map((saved) =>
            html`<${SavedSearch} key=${saved.id} saved=${saved} />`)}</ul>`}
    <//>`;
}
