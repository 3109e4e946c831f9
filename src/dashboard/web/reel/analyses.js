// Other analyses of the post of a reel, to open or to compare.
import { html } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { hiddenStore } from '../reels/deletions.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote } from '../ui/notes.js';
import { Time } from '../ui/time.js';
import { optionText } from './option_words.js';

const SHOWN_MAX = 20;

/** Resolves to the name of the model of a done reel, which lists do not have; empty if it cannot be read. */
async function readModel(id, signal) {
    const { result } = await get(`/reels/${id}`, signal).catch(() => ({}));
    return result?.metadata.model.name ?? '';
}

/** The section; nothing without another done analysis. */
export function Analyses({ id }) {
    const { data, error, reload } = useLoading((signal) =>
        get(pathWithQuery('/reels', { post_of: id, status: 'done', limit: SHOWN_MAX + 1 }), signal), [id]);
    const ids = (data ?? []).map((one) => one.id).filter((other) => other !== id).slice(0, SHOWN_MAX);
    const { data: models } = useLoading(async (signal) =>
        new Map(await Promise.all(ids.map(async (other) => [other, await readModel(other, signal)]))), [ids.join()]);
    const hidden = useStore(hiddenStore);
    if (error) {
        return html`<${FailureNote} error=${error} onRetry=${reload} />`;
    }
    const others = (data ?? []).filter((one) => one.id !== id && one.status === 'done' && !hidden.has(one.id)).slice(0, SHOWN_MAX);
    return others.length === 0 ? null : html`<section class="section" aria-labelledby="analyses">
        <div class="section-head flow"><h2 id="analyses">Other analyses of this post</h2></div>
        <ul class="analyses">${others.map((one) => html`<li key=${one.id}>
            <a class="foreign" dir="auto" href=${`/reels/${one.id}`}>${one.summary || 'No summary'}</a>
            <span class="muted small">#${one.id}, <${Time} value=${one.created_at} isAge=${false} />${models?.get(one.id)
                && html`, <span class="foreign">${models.get(one.id)}</span>`}${optionText(one.options)}</span>
            <a class="button button-small" href=${`/reels/${id}/compare/${one.id}`}
                aria-label=${`Compare with: ${one.summary || one.id}`}>Compare</a>
        </li>`)}</ul>
    </section>`;
}
