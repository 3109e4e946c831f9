// A row of the list of reels.
import { Component, html } from 'htm/preact/standalone';
import { useStep } from '../core/live.js';
import { TagLinks } from '../tags/tag_links.js';
import { formatMoney } from '../text/numbers.js';
import { formatTimecode } from '../text/times.js';
import { Elapsed } from '../ui/elapsed.js';
import { focusNear } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { deleteReel } from './deletions.js';
import { usualSeconds } from './durations.js';
import { Earlier } from './earlier.js';
import { listStore } from './list.js';
import { RowSelect } from './list_tools.js';
import { Thumbnail } from './thumbnail.js';
import { queueWords, stepWords } from './labels.js';

/** A link in short form, `instagram.com/reel/DYa0IXPgnP5`, or the name of an uploaded file. */
export function shortLink(url) {
    return url.replace(/^upload:/, '').replace(/^https?:\/\/(www\.)?/, '').replace(/[/?#]+$/, '').replace(/\/?\?.*$/, '');
}

/** The title of a reel: its summary, or its link without one. */
export function headlineOf(reel) {
    return reel.summary || shortLink(reel.url);
}

/** A title. A link breaks before its code, not inside it. */
export function Headline({ text }) {
    const start = /\s/.test(text) ? 0 : text.lastIndexOf('/') + 1;
    return start > 0 ? html`${text.slice(0, start)}<wbr />${text.slice(start)}` : text;
}

/** The author of a reel, or its link if unknown. */
export function Author({ author, url }) {
    return author
        ? html`<a class="row-author foreign" href=${`/?author=${encodeURIComponent(author)}`}
            title="Show this author's reels">${author}</a>`
        : html`<span class="muted foreign" title=${shortLink(url)}>${shortLink(url)}</span>`;
}

/** The step of a running reel, and its time. */
function Running({ reel }) {
    const step = useStep(reel.id);
    return html`<p class="row-note">${step && html`<span class="row-step">${stepWords(step)} </span>`}<${Elapsed}
        start=${reel.started_at} usual=${usualSeconds(listStore.get().reels)} /></p>`;
}

/** A short text about a reel that is not done. */
function Note({ reel }) {
    if (reel.status === 'processing' && reel.started_at) {
        return html`<${Running} reel=${reel} />`;
    }
    const words = reel.status === 'error' ? reel.error : queueWords(reel, Date.now());
    return words && html`<p class="row-note foreign" title=${words}>${words}</p>`;
}

const TOPICS_SHOWN = 3;

/** Topics and tags of a reel, as far as they are known. */
function Subjects({ reel: { topics = [], tags = [] } }) {
    return html`
        ${topics.length > 0 && html`<span class="row-topics foreign"><span>${
            topics.slice(0, TOPICS_SHOWN).join(', ')}</span></span>`}
        ${tags.length > 0 && html`<${TagLinks} tags=${tags} />`}`;
}

/** The length and the cost of a reel, as far as they are known. */
function Numbers({ reel: { duration_seconds: seconds, cost_usd: cost } }) {
    return html`
        ${typeof seconds === 'number' && html`<span class="row-length">${formatTimecode(seconds)}</span>`}
        ${cost > 0 && html`<span class="row-cost">${formatMoney(cost)}</span>`}`;
}

/** Duration, cost, topics and tags of a hit, as far as they are known. */
export function RowFacts({ reel }) {
    const hasFacts = typeof reel.duration_seconds === 'number' || reel.cost_usd > 0 || reel.tags?.length > 0;
    return hasFacts && html`<div class="row-facts flow small muted">
        <${Numbers} reel=${reel} /><${Subjects} reel=${reel} /></div>`;
}

/** The author, number and age of a reel. */
function Meta({ reel }) {
    const isNamedByLink = headlineOf(reel) === shortLink(reel.url);
    return html`<p class="row-meta">
        ${(reel.author || !isNamedByLink) && html`<${Author} author=${reel.author} url=${reel.url} />`}
        <span class="muted"><span class="row-number">#${reel.id} · </span><${Time} value=${reel.created_at} /></span>
    </p>`;
}

function removeRow(event, id, headline) {
    const isPlaced = focusNear(event.currentTarget.closest('.row'), '.row-title a');
    deleteReel(id, headline, { takesFocus: !isPlaced });
}

/** The button of a row that deletes its reel. */
export function RowDelete({ id, headline }) {
    return html`<button class="button button-plain button-icon row-delete" type="button"
        aria-label=${`Delete: ${headline}`} title="Delete"
        onClick=${(event) => removeRow(event, id, headline)}><${Icon} name="trash" /></button>`;
}

/** A row; rendered again only when its reel is a different object. */
export class ReelRow extends Component {
    shouldComponentUpdate(next) {
        return next.reel !== this.props.reel;
    }

    render({ reel }) {
        const headline = headlineOf(reel);
        return html`<li class="row">
            <${RowSelect} id=${reel.id} headline=${headline} />
            <${Thumbnail} key=${reel.status} id=${reel.id} status=${reel.status} />
            <div class="row-body">
                <h2 class="row-title foreign" dir="auto">
                    <a href=${`/reels/${reel.id}`}><${Headline} text=${headline} /></a>
                </h2>
                <${Note} reel=${reel} />
                <${Subjects} reel=${reel} />
            </div>
            <div class="row-side">
                <${Status} id=${reel.id} status=${reel.status} />
                <${Meta} reel=${reel} />
                <${Numbers} reel=${reel} />
            </div>
            <${RowDelete} id=${reel.id} headline=${headline} />
            ${reel.earlier > 0 && html`<${Earlier} key=${reel.id} reel=${reel} headline=${headline} />`}
        </li>`;
    }
}
