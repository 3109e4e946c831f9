// Earlier analyses of a post, below the newest one in the list.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { onLive } from '../core/live.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { optionText } from '../reel/option_words.js';
import { countOf } from '../text/numbers.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote } from '../ui/notes.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { hiddenStore } from './deletions.js';

const SHOWN_MAX = 99; // A response has at most 100 reels, including the newest.

function words(reel) {
    return reel.status === 'error' ? reel.error : reel.summary || 'No summary';
}

function EarlierList({ reel }) {
    const { data, error, reload, setData } = useLoading(
        (signal) => get(pathWithQuery('/reels', { post_of: reel.id, limit: SHOWN_MAX + 1, details: true }), signal), [reel.id]);
    const hidden = useStore(hiddenStore);
    useEffect(() => onLive('deleted', ({ id }) => data && setData(data.filter((one) => one.id !== id))), [data]);
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    const earlier = (data ?? []).filter(({ id }) => id < reel.id && !hidden.has(id));
    return html`
        ${!data && html`<p class="muted small" role="status">Loading…</p>`}
        <ul class="earlier-list">
            ${earlier.map((one) => html`<li key=${one.id}>
                <a class="foreign" dir="auto" href=${`/reels/${one.id}`}>${words(one)}</a>
                <${Status} id=${one.id} status=${one.status} />
                <span class="muted"><${Time} value=${one.created_at} />${optionText(one.options)}</span>
            </li>`)}
        </ul>
        ${data && reel.earlier > SHOWN_MAX && html`<p class="muted small">Only the last ${SHOWN_MAX} are shown.</p>`}`;
}

/** The button that opens the earlier analyses of a reel's post, and their list; `headline` is the reel's title. */
export function Earlier({ reel, headline }) {
    const [isOpen, setIsOpen] = useState(false);
    const label = countOf(reel.earlier, 'earlier analysis', 'earlier analyses');
    const id = `earlier-${reel.id}`;
    return html`<div class="earlier">
        <button class="earlier-toggle" type="button" aria-label=${`${label}: ${headline}`} aria-expanded=${isOpen ? 'true' : 'false'}
            aria-controls=${isOpen ? id : undefined} onClick=${() => setIsOpen(!isOpen)}>
            ${label}</button>
        ${isOpen && html`<div id=${id}><${EarlierList} reel=${reel} /></div>`}
    </div>`;
}
