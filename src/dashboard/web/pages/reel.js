// One reel.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { AskBox, canAsk } from '../ask/ask_box.js';
import { get } from '../core/api.js';
import { onLive } from '../core/live.js';
import { navigate } from '../core/navigation.js';
import { followReel } from '../core/reel_events.js';
import { Extract } from '../extract/section.js';
import { AgainDialog } from '../reel/again_dialog.js';
import { Analyses } from '../reel/analyses.js';
import { Cost } from '../reel/cost.js';
import { Facts } from '../reel/facts.js';
import { Head, headlineIn } from '../reel/head.js';
import { ModelHint } from '../reel/model_hint.js';
import { Moments } from '../reel/moments.js';
import { Failure, Progress } from '../reel/progress.js';
import { RawJson } from '../reel/raw.js';
import { submitLink } from '../reels/submissions.js';
import { announce } from '../ui/announcer.js';
import { focusHeading } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { useLoading, useRepetition } from '../ui/loading.js';
import { Skeleton, FailureNote } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';
import { Page as NotFound } from './not_found.js';

const PLACE_SECONDS = 10;

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

function Warnings({ metadata: { warnings, model } }) {
    const heading = model.provider === 'local' ? 'Notes on this analysis'
        : 'Check these: the recording contradicts the model';
    return warnings.length > 0 && html`<div class="note note-warn">
        <${Icon} name="warning" />
        <div class="note-body">
            <h2>${heading}</h2>
            <ul class="bullets">${warnings.map((warning, index) =>
                html`<li key=${index} class="foreign">${warning}</li>`)}</ul>
        </div>
    </div>`;
}

function Result({ reel, session }) {
    const { result } = reel;
    return html`<${Warnings} metadata=${result.metadata} />
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
            isAdmin=${session.account.is_admin} isBusy=${retry.isBusy} onRetry=${tryAgain} onAgain=${() => setIsAgain(true)} />`}
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
