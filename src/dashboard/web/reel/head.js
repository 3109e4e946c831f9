// The head of a reel's page: its title, where it comes from, and what can be done with it.
import { html } from 'htm/preact/standalone';
import { navigate, returnTo } from '../core/navigation.js';
import { deleteReel } from '../reels/deletions.js';
import { listStore, neighbourOf } from '../reels/list.js';
import { Headline, headlineOf } from '../reels/row.js';
import { Thumbnail } from '../reels/thumbnail.js';
import { TagEditor } from '../tags/tag_editor.js';
import { copyAndReport } from '../ui/copy.js';
import { Icon } from '../ui/icons.js';
import { usePageKeys } from '../ui/keys.js';
import { usePageActions } from '../ui/page_actions.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { showToast } from '../ui/toast.js';
import { canBeAgain } from './again_dialog.js';
import { Export } from './export.js';
import { platformLink } from './links.js';
import { transcriptText } from './markdown.js';
import { videoAddress } from './player.js';
import { copyLink } from './share.js';
import { hasStills } from './still.js';

const TITLE_LENGTH_MAX = 60; // Longer ones are sentences, in smaller type.

let closeNote = () => {}; // Of the message that the list has ended, which a held key repeats.

/** Opens the next reel of the list in place of this one, so that Back leads to the list; -1 the one before. */
async function goTo(id, step) {
    const path = location.pathname;
    const next = await neighbourOf(id, step);
    if (location.pathname !== path) {
        return;
    }
    if (next === null) {
        const { error, moreError } = listStore.get();
        const failure = error ?? (step > 0 ? moreError : null);
        closeNote();
        closeNote = failure ? showToast(`The list could not be loaded: ${failure.message}`, { isFailure: true })
            : showToast(step > 0 ? 'This is the last reel of the list.' : 'This is the first reel of the list.');
    } else {
        navigate(`/reels/${next}`, true);
    }
}

function openExport() {
    const button = document.querySelector('.reel-head .menu > button');
    button.focus();
    button.click();
}

/** The same name as in the list. */
export function headlineIn(reel) {
    return headlineOf({ url: reel.url, summary: reel.result?.content.summary });
}

/** A failed reel has its remedies in the note about the failure. `onAgain` opens the dialog of another analysis. */
export function Head({ reel, onAgain }) {
    const post = reel.result?.platform_meta;
    const link = platformLink(post?.url ?? reel.url);
    const headline = headlineIn(reel);
    const remove = () => {
        deleteReel(reel.id, headline, { onUndo: () => navigate(`/reels/${reel.id}`) });
        navigate('/');
    };
    const transcript = reel.result ? transcriptText(reel.result.audio) : '';
    usePageActions('This reel', [
        { name: 'link', label: 'Copy link', icon: 'copy', run: () => copyLink(reel.id) },
        transcript && { name: 'transcript', label: 'Copy transcript', icon: 'copy', run: () => copyAndReport(transcript, 'the transcript') },
        canBeAgain(reel) && { name: 'again', label: 'Analyse again', icon: 'again', run: onAgain },
        reel.status === 'done' && { name: 'export', label: 'Export', icon: 'download', run: openExport },
        { name: 'tag', label: 'Add a tag', icon: 'tag', run: () => document.getElementById('new-tag')?.focus() },
        { name: 'delete', label: 'Delete', icon: 'trash', run: remove },
    ].filter(Boolean));
    usePageKeys({
        Escape: () => document.fullscreenElement === null && returnTo('/'),
        '[': () => goTo(reel.id, -1), k: () => goTo(reel.id, -1), ']': () => goTo(reel.id, 1), j: () => goTo(reel.id, 1),
    });
    const hasPicture = Boolean(reel.result) && (videoAddress(reel) !== null || hasStills(reel.result.content.key_moments));
    return html`<header class=${`reel-head ${hasPicture ? 'reel-head-bare' : ''}`}>
        ${!hasPicture && html`<${Thumbnail} key=${reel.status} id=${reel.id} status=${reel.status} size="poster" isEager />`}
        <div class="reel-about">
            <p class="crumbs"><a href="/"><${Icon} name="back" />All reels</a></p>
            <h1 class=${`foreign ${headline.length > TITLE_LENGTH_MAX ? 'sentence' : ''}`} dir="auto"><${Headline}
                text=${headline} /></h1>
            <p class="reel-by flow small">
                <${Status} id=${reel.id} status=${reel.status} />
                ${post?.author && html`<a class="foreign"
                    href=${`/?author=${encodeURIComponent(post.author)}`}>${post.author}</a>`}
                ${link && html`<a href=${link} rel="noreferrer">Open the post</a>`}
                <span class="muted">#${reel.id}, submitted <${Time} value=${reel.created_at} /></span>
            </p>
            <div class="reel-tools flow">
                ${reel.status === 'done' && html`<${Export} reel=${reel} headline=${headline} />`}
                ${reel.status === 'done' && canBeAgain(reel) && html`<button class="button" type="button" title="Analyse again" onClick=${onAgain}>
                    <${Icon} name="again" /><span>Analyse again</span></button>`}
                <button class="button button-danger" type="button" title="Delete" onClick=${remove}>
                    <${Icon} name="trash" /><span>Delete</span></button>
                <${TagEditor} id=${reel.id} />
            </div>
        </div>
    </header>`;
}
