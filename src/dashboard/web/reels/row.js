// One reel in the list.
import { Component, html } from '../htm-preact.js';
import { focusNear } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { deleteReel } from './deletions.js';
import { Thumbnail } from './thumbnail.js';
import { failureWords } from './wording.js';

/** A link without what every link has: `instagram.com/reel/DYa0IXPgnP5`. */
export function shortLink(url) {
    return url.replace(/^https?:\/\/(www\.)?/, '').replace(/[/?#]+$/, '').replace(/\/?\?.*$/, '');
}

/** What a row says: the summary, the cause of a failure, or the link while there is no more. */
export function headlineOf(reel) {
    if (reel.status === 'error') {
        return failureWords(reel.error_code).title;
    }
    return reel.summary || shortLink(reel.url);
}

function Details({ reel }) {
    return html`<p class="row-details">
        ${reel.author
            ? html`<a class="row-author foreign" href=${`/?author=${encodeURIComponent(reel.author)}`}
                title="Show this author's reels">${reel.author}</a>`
            : reel.status !== 'pending' && reel.status !== 'processing'
                && html`<span class="muted foreign">${shortLink(reel.url)}</span>`}
        <span class="muted"><${Time} value=${reel.created_at} /></span>
    </p>`;
}

function removeRow(event, id) {
    const isPlaced = focusNear(event.currentTarget.closest('.row'), '.row-title a');
    deleteReel(id, { takesFocus: !isPlaced });
}

/** A row; it is drawn again only when its reel is another object. */
export class ReelRow extends Component {
    shouldComponentUpdate(next) {
        return next.reel !== this.props.reel;
    }

    render({ reel }) {
        const headline = headlineOf(reel);
        return html`<li class="row">
            <${Thumbnail} key=${reel.status} id=${reel.id} status=${reel.status} />
            <div class="row-body">
                <h2 class="row-title foreign" dir="auto">
                    <a href=${`/reels/${reel.id}`}>${headline}</a>
                </h2>
                <${Details} reel=${reel} />
            </div>
            <${Status} status=${reel.status} step=${reel.step} />
            <button class="button button-plain button-icon row-delete" type="button"
                    aria-label=${`Delete: ${headline}`} title="Delete"
                    onClick=${(event) => removeRow(event, reel.id)}><${Icon} name="trash" /></button>
        </li>`;
    }
}
