// The tags of one reel, and the form that adds some.
import { html, useState } from 'htm/preact/standalone';
import { useSubmission } from '../ui/field.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote } from '../ui/notes.js';
import { TagLinks } from './tag_links.js';
import { changeTags, readTagsOf, tagsIn, TAG_LENGTH_MAX, TAGS_MAX } from './tags.js';

/** `id` is the reel's. */
export function TagEditor({ id }) {
    const { data, reload, error: failed } = useLoading((signal) => readTagsOf(id, signal), [id]);
    const [text, setText] = useState('');
    const tags = data ?? [];
    // Only what differs is sent: the reel may have other tags by now.
    const store = (add, remove) => changeTags([id], add, remove).then(reload);
    const adding = useSubmission(async () => {
        await store(tagsIn(text), []);
        setText('');
    });
    const [removal, setRemoval] = useState(null);
    const remove = (tag) => store([], [tag]).then(() => setRemoval(null), setRemoval);
    const error = adding.error ?? removal ?? failed;
    return data || error ? html`<div class="tag-editor flow">
        ${tags.length > 0 && html`<${TagLinks} tags=${tags} onRemove=${remove} />`}
        ${data && tags.length < TAGS_MAX && html`<form class="tag-form" noValidate
            onSubmit=${adding.submit} onInput=${adding.clearError}>
            <label class="unseen" for="new-tag">New tag</label>
            <input class="input" id="new-tag" autocomplete="off" placeholder="Add a tag" required
                maxlength=${TAG_LENGTH_MAX} value=${text} onInput=${(event) => setText(event.target.value)} />
            ${text.trim() && html`<button class="button button-small" type="submit" disabled=${adding.isBusy}>Add</button>`}
        </form>`}
        ${error && html`<${FailureNote} error=${error} />`}
    </div>` : null;
}
