// Search results, with the words of the query highlighted.
import { html } from 'htm/preact/standalone';
import { get, resourceAddress } from '../core/api.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { readTags, storedTag } from '../tags/tags.js';
import { highlightParts } from '../text/highlight.js';
import { countOf } from '../text/numbers.js';
import { formatTimecode } from '../text/times.js';
import { useLoading } from '../ui/loading.js';
import { Skeleton, Empty, FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { hiddenStore } from './deletions.js';
import { filterWords } from './filter_words.js';
import { RowSelect } from './list_tools.js';
import { Author, headlineOf, RowDelete, RowFacts } from './row.js';
import { SaveSearch } from './saved_searches.js';
import { Thumbnail } from './thumbnail.js';
import { fieldWords } from './labels.js';

const HITS_MAX = 50;

function Highlighted({ text, query }) {
    return highlightParts(text, query)
        .map((part) => part.isMarked ? html`<mark>${part.text}</mark>` : part.text);
}

/** `shown` are the ids of all hits. */
function Hit({ hit, query, shown }) {
    const { field, text, seconds } = hit.match;
    const isInTitle = field === 'content.summary' && Boolean(hit.summary);
    const hasTime = typeof seconds === 'number';
    const address = `/reels/${hit.id}` + (hasTime ? `#t=${seconds}` : '');
    return html`<li class="row row-hit">
        <${RowSelect} id=${hit.id} headline=${headlineOf(hit)} shown=${shown} />
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
        <${RowDelete} id=${hit.id} headline=${headlineOf(hit)} />
    </li>`;
}

/**
 * The hits for a filter `{q, tag, author, from, to}`, best first: `{hits, error, reload}`. `hits` is null while they are loaded,
 * and for an empty `q`.
 */
export function useSearch({ q, tag, author, from, to }) {
    const hidden = useStore(hiddenStore);
    const parameters = { q, limit: HITS_MAX, tag, author, from, to, details: true };
    const { data, error, reload } = useLoading(
        (signal) => q ? get(pathWithQuery('/reels/search', parameters), signal) : Promise.resolve(null), Object.values(parameters));
    return { hits: data?.filter((hit) => !hidden.has(hit.id)) ?? null, error, reload };
}

/** A link to the reels with the tag that equals the query, which the search does not read; nothing without such a tag. */
function TagHint({ query, filtered }) {
    const { data } = useLoading(readTags, []);
    const tag = storedTag(query);
    return tag !== filtered && data?.some((one) => one.tag === tag) && html`<a class="foreign"
        href=${pathWithQuery('/', { tag })}>Reels tagged ${tag}</a>`;
}

/** The hits of useSearch() for `filter`; `onShowAll` clears a search without hits. */
export function SearchResults({ search: { hits, error, reload }, filter, onShowAll }) {
    const { q: query } = filter;
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    if (!hits) {
        return html`<${Skeleton} count=${3} />`;
    }
    if (hits.length === 0) {
        return html`<div class="list-note flow small muted">
            <${TagHint} query=${query} filtered=${filter.tag} /><${SaveSearch} query=${query} author=${filter.author} /></div>
        <div role="status"><${Empty} title="No reels found">
            <p>Try other words: describe what is said or shown, in a word or a sentence.
            The search finds only <span class="foreign">${filterWords({ ...filter, status: 'done' })}</span>.</p>
            <p><button class="button" type="button" onClick=${onShowAll}>Show all reels</button></p>
        <//></div>`;
    }
    const shown = hits.map(({ id }) => id);
    return html`
        <div class="list-note flow small muted">
            <span role="status">${hits.length === HITS_MAX ? `The ${HITS_MAX} closest reels` : countOf(hits.length, 'reel')
                + ', the closest first'}</span>
            <${TagHint} query=${query} filtered=${filter.tag} />
            <${SaveSearch} query=${query} author=${filter.author} />
        </div>
        <ul class="rows">
            ${hits.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} query=${query} shown=${shown} />`)}</ul>`;
}
