// One reel.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { AskBox, canAsk } from '../ask/ask_box.js';
import { get } from '../core/api.js';
import { onLive } from '../core/live.js';
import { navigate } from '../core/navigation.js';
import { followReel } from '../core/reel_events.js';
import { Extract } from '../extract/section.js';
import { AgainDialog, canBeAgain } from '../reel/again_dialog.js';
import { Analyses } from '../reel/analyses.js';
import { Cost } from '../reel/cost.js';
import { Export } from '../reel/export.js';
import { Facts } from '../reel/facts.js';
import { platformLink } from '../reel/links.js';
import { ModelHint } from '../reel/model_hint.js';
import { Moments } from '../reel/moments.js';
import { videoAddress } from '../reel/player.js';
import { Failure, Progress } from '../reel/progress.js';
import { RawJson } from '../reel/raw.js';
import { hasStills } from '../reel/still.js';
import { deleteReel } from '../reels/deletions.js';
import { headlineOf } from '../reels/row.js';
import { submitLink } from '../reels/submissions.js';
import { Thumbnail } from '../reels/thumbnail.js';
import { TagEditor } from '../tags/tag_editor.js';
import { announce } from '../ui/announcer.js';
import { focusHeading } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { useLoading, useRepetition } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { useTitle } from '../ui/title.js';
import { Page as NotFound } from './not_found.js';

const PLACE_SECONDS = 10;
const TITLE_LENGTH_MAX = 60; // Longer ones are sentences, in smaller type.

function isOver(status) {
    return status === 'done' || status === 'error';
}

/** When a reel began to run; its events do not report it. */
function startOf(state, before) {
    return state.status === 'processing' ? { started_at: before.started_at ?? new Date().toISOString() } : {};
}

/** A reel, updated by its own event stream until it is done. */
function useReel(id) {
    const { data, error, reload, setData } = useLoading((signal) => get(`/reels/${id}`, signal), [id]);
    const [isDeleted, setIsDeleted] = useState(false);
    // Events do not report the queue position.
    useRepetition(() => data?.status === 'pending' && reload(), PLACE_SECONDS);
    const latest = useRef(data);
    latest.current = data;
    const isFollowed = Boolean(data) && !isOver(data.status);
    useEffect(() => onLive('deleted', (event) => String(event.id) === id && setIsDeleted(true)), [id]);
    // A stream that opens while the reel is being fetched has missed no event.
    useEffect(() => onLive('reset', () => {
        if (error && error.status !== 404) {
            reload();
        }
    }), [error]);
    useEffect(() => isFollowed ? followReel(id, {
        onChange: (state) => setData({ ...latest.current, ...state, ...startOf(state, latest.current) }),
        onEnd: (reel) => {
            announce(reel.status === 'done' ? 'The reel is done.' : 'The reel has failed.');
            setData(reel);
        },
        onDeleted: () => setIsDeleted(true),
        onRefused: reload, // The reload gets the reason.
    }) : undefined, [id, isFollowed]);
    return { reel: data, error, reload, isDeleted };
}

/** The same name as in the list. */
function headlineIn(reel) {
    return headlineOf({ url: reel.url, summary: reel.result?.content.summary });
}

function Head({ reel, onAgain }) {
    const post = reel.result?.platform_meta;
    const link = platformLink(post?.url ?? reel.url);
    const headline = headlineIn(reel);
    const remove = () => {
        deleteReel(reel.id, headline, { onUndo: () => navigate(`/reels/${reel.id}`) });
        navigate('/');
    };
    const hasPicture = Boolean(reel.result) && (videoAddress(reel) !== null || hasStills(reel.result.content.key_moments));
    return html`<header class=${`reel-head ${hasPicture ? 'reel-head-bare' : ''}`}>
        ${!hasPicture && html`<${Thumbnail} key=${reel.status} id=${reel.id} status=${reel.status} size="poster" isEager />`}
        <div class="reel-about">
            <p class="crumbs"><a href="/"><${Icon} name="back" />All reels</a></p>
            <h1 class=${`foreign ${headline.length > TITLE_LENGTH_MAX ? 'sentence' : ''}`} dir="auto">${headline}</h1>
            <p class="reel-by">
                <${Status} id=${reel.id} status=${reel.status} />
                ${post?.author && html`<a class="foreign"
                    href=${`/?author=${encodeURIComponent(post.author)}`}>${post.author}</a>`}
                ${link && html`<a href=${link} rel="noreferrer">Open the post</a>`}
                <span class="muted">#${reel.id}, submitted <${Time} value=${reel.created_at} /></span>
            </p>
            <${TagEditor} id=${reel.id} />
            <div class="actions actions-start">
                ${reel.status === 'done' && html`<${Export} reel=${reel} headline=${headline} />`}
                ${canBeAgain(reel) && html`<button class="button" type="button" onClick=${onAgain}><${Icon} name="again" />Analyse again</button>`}
                <button class="button button-danger" type="button" onClick=${remove}>
                    <${Icon} name="trash" />Delete</button>
            </div>
        </div>
    </header>`;
}

function Warnings({ warnings }) {
    return warnings.length > 0 && html`<div class="note note-warn">
        <${Icon} name="warning" />
        <div class="note-body">
            <h2>Check these: the recording contradicts the model</h2>
            <ul class="bullets">${warnings.map((warning, index) =>
                html`<li key=${index} class="foreign">${warning}</li>`)}</ul>
        </div>
    </div>`;
}

function Result({ reel, session }) {
    const { result } = reel;
    return html`<${Warnings} warnings=${result.metadata.warnings} />
        <${ModelHint} result=${result} session=${session} />
        <${Moments} reel=${reel} />
        ${canAsk(session) && html`<${AskBox} path=${`/reels/${reel.id}/ask`} label="Ask this reel"
            hint="A question that the reel answers" reelId=${reel.id} />`}
        <${Extract} reel=${reel} />
        <${Facts} result=${result} options=${reel.options} />`;
}

function Reel({ reel, session }) {
    const [retry, setRetry] = useState({ isBusy: false, error: null });
    const [isAgain, setIsAgain] = useState(false);
    useTitle(headlineIn(reel));
    const tryAgain = async () => {
        setRetry({ isBusy: true, error: null });
        try {
            const { id } = await submitLink(reel.url, reel.options);
            navigate(`/reels/${id}`);
        } catch (error) {
            setRetry({ isBusy: false, error });
        }
    };
    return html`<article class="reel">
        <${Head} reel=${reel} onAgain=${() => setIsAgain(true)} />
        ${isAgain && html`<${AgainDialog} reel=${reel} onClose=${() => setIsAgain(false)} />`}
        ${retry.error && html`<${FailureNote} error=${retry.error} onRetry=${tryAgain} />`}
        ${!isOver(reel.status) && html`<${Progress} reel=${reel} />`}
        ${reel.status === 'error' && html`<${Failure} key=${reel.id} reel=${reel}
            isAdmin=${session.account.is_admin} isBusy=${retry.isBusy} onRetry=${tryAgain} />`}
        ${reel.result && html`<${Result} reel=${reel} session=${session} />`}
        ${reel.status === 'done' && html`<${Analyses} id=${reel.id} />`}
        ${isOver(reel.status) && html`<${Cost} id=${reel.id} changed=${reel.status} />
            <${RawJson} reel=${reel} />`}
    </article>`;
}

/** The page `/reels/{id}`; with the fragment `#t=12.5` the timeline starts there. */
export function Page({ place, session }) {
    const { reel, error, reload, isDeleted } = useReel(place.route.id);
    const isGone = isDeleted || error?.status === 404;
    const wasAtHeading = useRef(false);
    // The focused heading is replaced when the reel has loaded.
    useLayoutEffect(() => {
        if (wasAtHeading.current && document.activeElement === document.body) {
            focusHeading();
        }
    }, [Boolean(reel), isGone]);
    if (isGone) {
        return html`<${NotFound} what="reel" />`;
    }
    if (!reel) {
        return html`<div>
            <h1 class="unseen" onFocus=${() => { wasAtHeading.current = true; }}>Reel ${place.route.id}</h1>
            ${error ? html`<${FailureNote} error=${error} onRetry=${reload} />` : html`<${Skeleton} count=${4} />`}
        </div>`;
    }
    return html`<div>
        ${error && html`<${FailureNote} error=${error} onRetry=${reload} />`}
        <${Reel} reel=${reel} session=${session} />
    </div>`;
}
