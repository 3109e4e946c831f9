// Search results, with the words of the query highlighted.
import { html } from 'htm/preact/standalone';
import { get, resourceAddress } from '../core/api.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { highlightParts } from '../text/highlight.js';
import { countOf } from '../text/numbers.js';
import { formatTimecode } from '../text/times.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { hiddenStore } from './deletions.js';
import { fitsFilter } from './merging.js';
import { Author, headlineOf, RowFacts } from './row.js';
import { SaveSearch } from './saved_searches.js';
import { Thumbnail } from './thumbnail.js';
import { fieldWords } from './labels.js';

const HITS_MAX = 50;

function Highlighted({ text, query }) {
    return highlightParts(text, query)
        .map((part) => part.isMarked ? html`<mark>${part.text}</mark>` : part.text);
}

function Hit({ hit, query }) {
    const { field, text, seconds } = hit.match;
    const isInTitle = field === 'content.summary' && Boolean(hit.summary);
    const hasTime = typeof seconds === 'number';
    const address = `/reels/${hit.id}` + (hasTime ? `#t=${seconds}` : '');
    return html`<li class="row row-hit">
        <${Thumbnail} id=${hit.id} status="done" address=${resourceAddress(hit.match.frame)} />
        <div class="row-body">
            <h2 class="row-title foreign" dir="auto">
                <a href=${address}><${Highlighted} text=${headlineOf(hit)} query=${query} /></a>
            </h2>
            ${isInTitle || html`<p class="hit-passage">
                <span class="hit-field">${fieldWords(field)}${hasTime
                    && html` <span class="timecode">${formatTimecode(seconds)}</span>`}</span>
                <span class="foreign" dir="auto"><${Highlighted} text=${text} query=${query} /></span>
            </p>`}
            <${RowFacts} reel=${hit} />
            <p class="row-meta">
                <${Author} author=${hit.author} url=${hit.url} />
                <span class="muted">#${hit.id} · <${Time} value=${hit.created_at} /></span>
            </p>
        </div>
    </li>`;
}

/**
 * The hits for `query`, best first, with `tag` and by `author` if these are not empty; `onShowAll` clears a search without
 * hits. The server does not filter by author: hits of others are left out of the HITS_MAX best.
 */
export function SearchResults({ query, author, tag, onShowAll }) {
    const { data, error, reload } = useLoading(
        (signal) => get(pathWithQuery('/reels/search', { q: query, limit: HITS_MAX, tag, details: true }), signal), [query, tag]);
    const hidden = useStore(hiddenStore);
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    if (!data) {
        return html`<${Skeleton} count=${3} />`;
    }
    const hits = data.filter((hit) => !hidden.has(hit.id) && fitsFilter(hit, { author }));
    if (hits.length === 0) {
        return html`<div class="list-note hit-tools"><${SaveSearch} query=${query} /></div>
        <div role="status"><${Empty} title="No reels found">
            <p>The search is semantic: describe what is said or shown, in a word or a sentence.
            It finds only finished reels${author && html` of the author <b class="foreign">${author}</b>`}${
                tag && html` with the tag <b class="foreign">${tag}</b>`}.</p>
            <p><button class="button" type="button" onClick=${onShowAll}>Show all reels</button></p>
        <//></div>`;
    }
    return html`
        <div class="list-note hit-tools">
            <span role="status">${countOf(hits.length, 'reel')}, the closest first</span>
            <${SaveSearch} query=${query} />
        </div>
        <ul class="rows">
            ${hits.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} query=${query} />`)}</ul>`;
}
