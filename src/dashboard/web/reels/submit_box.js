// The box to submit links and videos.
import { html, useState } from '../htm-preact.js';
import { change, upload } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { pathWithQuery } from '../core/routes.js';
import { linksIn, partsOf, platformLink } from '../reel/links.js';
import { announce } from '../ui/announcer.js';
import { Check, useProblem, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { putReel, refreshList } from './list.js';
import { UploadProgress, VideoPicker } from './video_picker.js';

const ROWS_MAX = 8;

/** Submits a link; resolves to the known fields of the new reel. */
export async function submitLink(url, isFresh) {
    const body = { url, queue: true, ...isFresh && { fresh: true } };
    const { id, status } = await change('POST', '/reels/analyze', body);
    const reel = { id, url, status, created_at: new Date().toISOString() };
    putReel(reel);
    return reel;
}

/** Uploads a video; `link` is its post's, or empty. Resolves to the known fields of the new reel. */
async function submitVideo(file, link, isFresh, onProgress) {
    const options = { filename: file.name, queue: 'true', ...link && { url: link }, ...isFresh && { fresh: 'true' } };
    const { id, status } = await upload(pathWithQuery('/reels/analyze', options), file, onProgress);
    const reel = { id, url: link || `upload:${file.name}`, status, created_at: new Date().toISOString() };
    putReel(reel);
    return reel;
}

/** Submits many links. After each request, `note` receives all outcomes so far: `[{url, id}]` or `{url, error}`. */
async function submitLinks(links, isFresh, note) {
    let outcomes = [];
    for (const urls of partsOf(links)) {
        const answers = await change('POST', '/reels/analyze', { urls, queue: true, ...isFresh && { fresh: true } });
        outcomes = [...outcomes, ...answers];
        note(outcomes);
    }
}

/** Reports that a reel was submitted, with a link unless the list shows it. */
export function confirmSubmission(reel, isListed) {
    if (isListed) {
        announce('Submitted. The reel is at the top of the list.');
    } else {
        showToast('Submitted', { link: { label: 'Show the reel', address: `/reels/${reel.id}` } });
    }
}

/** The outcome of many links: the number submitted, and the error of each other. */
function Outcomes({ outcomes, count }) {
    const refused = outcomes.filter((one) => one.id === undefined);
    return html`<div class="note" role="status">
        <div class="note-body">
            <p>${outcomes.length - refused.length} of ${count} links submitted.</p>
            ${refused.length > 0 && html`<ul class="bullets">${refused.map(({ url, error }) =>
                html`<li key=${url} class="foreign">${url}: ${error}</li>`)}</ul>`}
        </div>
    </div>`;
}

/**
 * The box, with errors below it. `isListed` returns whether the list below shows a new reel; `link` is the
 * initial text.
 */
export function SubmitBox({ isListed, link }) {
    const [text, setText] = useState(link);
    const [isFresh, setIsFresh] = useState(false);
    const [many, setMany] = useState(null);
    const [sending, setSending] = useState({ progress: null, error: null });
    const links = text.trim() === '' ? [] : linksIn(text);
    const post = links.length === 1 ? platformLink(links[0]) : null;
    const isForUpload = link !== '' && text === link;
    const uploadVideos = async (files) => {
        const postLink = files.length === 1 && post ? links[0] : '';
        const note = (name, share) => setSending({ progress: { name, share }, error: null });
        try {
            let reel = null;
            for (const file of files) {
                note(file.name, 0);
                reel = await submitVideo(file, postLink, isFresh, (share) => note(file.name, share));
            }
            setSending({ progress: null, error: null });
            setText('');
            if (link) {
                navigate('/', true); // The address still names the link of the uploaded video.
            }
            confirmSubmission(reel, isListed);
        } catch (error) {
            setSending({ progress: null, error });
        }
    };
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        setMany(null);
        if (links.length === 1) {
            confirmSubmission(await submitLink(links[0], isFresh), isListed);
        } else {
            await submitLinks(links, isFresh, (outcomes) => setMany({ outcomes, count: links.length }));
            refreshList();
        }
        setText('');
        setIsFresh(false);
    });
    const type = (typed) => {
        setText(typed);
        clearError();
        setSending((old) => ({ ...old, error: null }));
    };
    // Enter submits, as in a single-line field; Shift+Enter inserts a line break.
    const sendOnEnter = (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            event.target.form.requestSubmit();
        }
    };
    const [problem, checked] = useProblem(text);
    const refusal = problem ?? (error?.status === 400 ? error.message : null);
    return html`<form class="submit" onSubmit=${submit} noValidate>
        <label class="label" for="submit-url">Analyse a reel</label>
        <div class="submit-line">
            <textarea class="input" id="submit-url" inputmode="url" autocomplete="off"
                rows=${Math.min(ROWS_MAX, text.split('\n').length)}
                spellcheck=${false} required placeholder="Paste instagram.com/reel/… links, one or many" value=${text}
                onInput=${(event) => type(event.target.value)} onKeyDown=${sendOnEnter}
                aria-invalid=${refusal ? 'true' : undefined}
                aria-describedby=${refusal ? 'submit-error' : undefined} ...${checked}></textarea>
            <button class=${isForUpload ? 'button' : 'button button-main'} type="submit" disabled=${isBusy}>
                ${isBusy ? 'Submitting…' : 'Analyse'}</button>
        </div>
        ${refusal && html`<p class="field-error foreign" id="submit-error" role="alert">${refusal}</p>`}
        ${error && !refusal && html`<${FailureNote} error=${error} />`}
        ${sending.progress ? html`<${UploadProgress} ...${sending.progress} />` : html`<${VideoPicker}
            hint=${post ? 'or drop the video of this link here' : 'or drop video files here'}
            isBusy=${isBusy} isMain=${isForUpload} onFiles=${uploadVideos} />`}
        ${sending.error && html`<${FailureNote} error=${sending.error} />`}
        ${many && html`<${Outcomes} ...${many} />`}
        <${Check} label="Analyse again, even if done within a day" isOn=${isFresh}
            onValue=${setIsFresh} />
    </form>`;
}
