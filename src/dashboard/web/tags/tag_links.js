// Tags as links to the reels that have them.
import { html } from 'htm/preact/standalone';

/** `onRemove` receives a tag; without it, the tags have no button. */
export function TagLinks({ tags, onRemove }) {
    return html`<ul class="tags flow" aria-label="Tags">${tags.map((tag) => html`<li key=${tag} class="tag">
        <a class="foreign cut" href=${`/?tag=${encodeURIComponent(tag)}`}
            title="Show the reels with this tag">${tag}</a>
        ${onRemove && html`<button class="tag-remove" type="button" aria-label=${`Remove the tag ${tag}`}
            onClick=${() => onRemove(tag)}>×</button>`}
    </li>`)}</ul>`;
}
