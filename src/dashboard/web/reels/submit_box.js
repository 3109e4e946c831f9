// The box to submit links and videos.
import { html, useEffect, useLayoutEffect, useRef, useState } from 'htm/preact/standalone';
import { navigate, noteAddress } from '../core/navigation.js';
import { useStore } from '../core/store.js';
import { linksIn, platformLink } from '../reel/links.js';
import { announce } from '../ui/announcer.js';
import { Check, useProblem, useSubmission } from '../ui/field.js';
import { FailureNote } from '../ui/notes.js';
import { showToast } from '../ui/toast.js';
import { changeDraft, draftStore, replaceText } from './draft.js';
import { refreshList } from './list.js';
import { OptionDetails, useOptions } from './option_details.js';
import { isOptionError } from './option_members.js';
import { submitLink, submitLinks, submitVideos } from './submissions.js';
import { isVideo, UploadProgress, useDrop, VideoPicker } from './video_picker.js';

const ROWS_MAX = 8;

/** Reports that a reel was submitted, with a link unless the list shows it. */
export function confirmSubmission(reel, isListed) {
    if (isListed) {
        announce('Submitted. The reel is at the top of the list.');
    } else {
        showToast('Submitted', { link: { label: 'Show the reel', address: `/reels/${reel.id}` } });
    }
}

/** The outcome of many links or videos (`noun`): the number submitted, and the error of each other. */
function Outcomes({ outcomes, count, noun }) {
    const refused = outcomes.filter(({ error }) => error !== undefined);
    return html`<div class="note" role="status">
        <div class="note-body">
            <p>${outcomes.length - refused.length} of ${count} ${noun} submitted.</p>
            ${refused.length > 0 && html`<ul class="bullets">${refused.map(({ url, name, error }) =>
                html`<li key=${url ?? name} class="foreign">${url ?? name}: ${error}</li>`)}</ul>`}
        </div>
    </div>`;
}

/**
 * The box, with errors below it. `isListed`: the list below shows a new reel. The initial text is `link`, of a reel to
 * upload the video of (empty without a link, otherwise null), the draft, or `shared`, links from another app, which are
 * ready to send.
 */
export function SubmitBox({ isListed, link, shared }) {
    useState(() => changeDraft({ text: draftStore.get().text || shared })); // Before the first render only.
    const member = link === null ? 'text' : 'uploadText'; // An upload must not replace what was typed before.
    useLayoutEffect(() => changeDraft({ uploadText: link ?? '' }), [link]);
    const { [member]: text, fields, isFresh, upload } = useStore(draftStore);
    const here = useRef(null); // The current properties; null once the page is left.
    here.current = { isListed, link };
    useEffect(() => () => {
        here.current = null;
    }, []);
    const button = useRef(null);
    useEffect(() => shared && button.current.focus(), []);
    const [many, setMany] = useState(null);
    const [uploadError, setUploadError] = useState(null);
    const links = text.trim() === '' ? [] : linksIn(text);
    const post = links.length === 1 ? platformLink(links[0]) : null;
    const isForUpload = link !== null && text === link;
    const options = useOptions(fields, (changed) => {
        changeDraft({ fields: changed });
        forgetErrors();
    });
    const membersToSend = () => {
        const members = options.members();
        return members && { ...isFresh && { fresh: true }, ...members };
    };
    const clearSent = (isTextSent) => {
        if (isTextSent) {
            replaceText(member, text, '');
        }
        changeDraft({ isFresh: false });
        if (link !== null && here.current?.link === link && draftStore.get().uploadText === '') {
            navigate('/', true); // The address still asks for the upload.
        }
    };
    const uploadVideos = async (files) => {
        const members = membersToSend();
        if (!members) {
            return;
        }
        const postLink = files.length === 1 && post ? links[0] : '';
        const note = (name, share) => changeDraft({ upload: { name, share } });
        forgetErrors();
        setMany(null);
        const { outcomes, failure } = await submitVideos(files, postLink, members, note);
        changeDraft({ upload: null });
        if (failure?.name === 'AbortError') {
            return; // The user has signed out.
        }
        const refused = outcomes.filter(({ error }) => error !== undefined);
        setUploadError(failure);
        if (refused.length === 0) {
            clearSent(postLink !== ''); // Otherwise the text was not sent.
            confirmSubmission(outcomes.at(-1).reel, here.current?.isListed ?? false);
        } else if (here.current) {
            setMany({ outcomes, count: files.length, noun: 'videos' });
        } else {
            showToast(`Not uploaded: ${refused.map(({ name, error }) => `${name}: ${error}`).join(' ')}`, { isFailure: true });
        }
    };
    const { isBusy, error, submit, clearError } = useSubmission(async () => {
        setUploadError(null);
        setMany(null);
        const members = !upload && membersToSend(); // An upload may have the same link.
        if (!members) {
            return;
        }
        if (links.length === 1) {
            confirmSubmission(await submitLink(links[0], members), isListed);
        } else {
            const note = (outcomes) => setMany({ outcomes, count: links.length, noun: 'links' });
            const { left, failure } = await submitLinks(links, members, note);
            refreshList();
            if (failure) {
                if (left.length < links.length) {
                    replaceText(member, text, left.join('\n')); // Another attempt must not submit the others again.
                }
                throw failure;
            }
        }
        clearSent(true);
        if (shared) {
            noteAddress('/'); // It has the shared text, which a reload would bring back.
        }
    });
    const forgetErrors = () => {
        clearError();
        setUploadError(null);
    };
    const type = (typed) => {
        changeDraft({ [member]: typed });
        forgetErrors();
    };
    // Enter submits, as in a single-line field; Shift+Enter inserts a line break.
    const sendOnEnter = (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            event.target.form.requestSubmit();
        }
    };
    const [problem, checked] = useProblem(text);
    const takeFiles = (files) => {
        if (isBusy || upload) {
            showToast('Not uploaded: another submission is in progress. Try again once it has ended.', { isFailure: true });
            return;
        }
        const others = files.filter((file) => !isVideo(file)).map(({ name }) => name);
        if (others.length > 0) {
            showToast(`Not uploaded, because not a video: ${others.join(', ')}`, { isFailure: true });
        }
        const videos = files.filter(isVideo);
        if (videos.length > 0) {
            uploadVideos(videos);
        }
    };
    const drop = useDrop(takeFiles);
    const optionError = [error, uploadError].find(isOptionError);
    const refusal = problem ?? (error?.status === 400 && !isOptionError(error) ? error.message : null);
    return html`<form class=${`submit stack ${drop.isOver ? 'submit-over' : ''}`} onSubmit=${submit} noValidate
            ...${drop.props}>
        <label class="unseen" for="submit-url">Analyse a reel</label>
        <div class="submit-line">
            <textarea class="input" id="submit-url" inputmode="url" autocomplete="off"
                rows=${Math.min(ROWS_MAX, text.split('\n').length)}
                spellcheck=${false} required placeholder="Paste Instagram links" value=${text}
                onInput=${(event) => type(event.target.value)} onKeyDown=${sendOnEnter}
                aria-invalid=${refusal ? 'true' : undefined}
                aria-describedby=${refusal ? 'submit-error' : undefined} ...${checked}></textarea>
            <button class=${isForUpload ? 'button' : 'button button-main'} type="submit" ref=${button}
                disabled=${isBusy || upload !== null}>
                ${isBusy ? 'Submitting…' : 'Analyse'}</button>
        </div>
        ${refusal && html`<p class="field-error foreign" id="submit-error" role="alert">${refusal}</p>`}
        ${error && !refusal && !isOptionError(error) && html`<${FailureNote} error=${error} />`}
        ${upload && html`<${UploadProgress} ...${upload} />`}
        ${uploadError && !isOptionError(uploadError) && html`<${FailureNote} error=${uploadError} />`}
        ${many && html`<${Outcomes} ...${many} />`}
        <div class="submit-more flow">
            ${!upload && html`<${VideoPicker} isBusy=${isBusy} isMain=${isForUpload} onFiles=${takeFiles}
                hint=${post ? 'or drop the video of this link here' : 'or drop video files here'} />`}
            <${OptionDetails} ...${options.shown} message=${optionError?.message ?? null} isChildSet=${isFresh}>
                <p><${Check} label="Analyse again, even if done within a day" isOn=${isFresh}
                    onValue=${(isOn) => changeDraft({ isFresh: isOn })} /></p><//>
        </div>
    </form>`;
}
