// A question to one reel or to all, and its answer with citations.
import { html, useEffect, useLayoutEffect, useRef } from 'htm/preact/standalone';
import { useStore } from '../core/store.js';
import { fieldWords } from '../reels/labels.js';
import { formatMoney } from '../text/numbers.js';
import { formatTimecode } from '../text/times.js';
import { announce } from '../ui/announcer.js';
import { Icon } from '../ui/icons.js';
import { FailureNote } from '../ui/notes.js';
import { answerStore, ask, clearAnswer } from './answers.js';
import { useTitles } from './titles.js';

const QUESTION_LENGTH_MAX = 500;

/** Whether the server has a model that answers questions; `session` is the session's view. */
export function canAsk(session) {
    return session.analyzers?.some((name) => name !== 'local') ?? false;
}

/** `isHere`: it is of the reel of the page. Otherwise `title` is that of the reel; null for its code. */
function Citation({ citation, isHere, title }) {
    const { id, code, field, text, seconds } = citation;
    const hasTime = typeof seconds === 'number';
    const words = html`<span class="timecode">${hasTime ? formatTimecode(seconds) : !isHere && 'Open'}</span>
        <span>
            <span class="foreign" dir="auto">“${text}”</span>${' '}
            <span class="citation-source cut muted small">${fieldWords(field)}${title !== undefined && html`,${' '}
                <span class="foreign">${title ?? `reel ${code}`}</span>`}</span>
        </span>`;
    return html`<li>${isHere && !hasTime ? html`<div class="citation">${words}</div>`
        : html`<a class="citation" href=${`/reels/${id}${hasTime ? `#t=${seconds}` : ''}`}>${words}</a>`}</li>`;
}

function Answer({ answer, reelId }) {
    const { model, cost_usd: cost, citations } = answer;
    const titles = useTitles([...new Set(citations.map(({ id }) => id))].filter((id) => id !== reelId));
    return html`
        <p class="answer-text foreign" dir="auto">${answer.answer}</p>
        ${citations.length > 0 && html`<ol class="citations stack" aria-label="Citations">
            ${citations.map((citation, index) => html`<${Citation} key=${index} citation=${citation}
                isHere=${citation.id === reelId} title=${titles.get(citation.id)} />`)}</ol>`}
        <p class="muted small">${model?.name && html`Answered by <span class="foreign">${model.name}</span>`}${
            typeof cost === 'number' && html`, ${formatMoney(cost)}`}</p>`;
}

/**
 * The box. `path` is the question's, `label` and `hint` describe the field; `reelId` is the reel of the page, if any;
 * `members` are further members of the request; `takesFocus` focuses the field initially.
 */
export function AskBox({ path, label, hint, reelId, members, takesFocus = false }) {
    const { question, isBusy, asked, answer, error } = useStore(answerStore(path));
    const field = useRef(null);
    useEffect(() => {
        if (answer) {
            announce(answer.answer);
        }
    }, [answer]);
    useLayoutEffect(() => takesFocus && field.current.focus(), []);
    const type = (event) => answerStore(path).set({ ...answerStore(path).get(), question: event.target.value });
    const submit = (event) => {
        event.preventDefault();
        if (!isBusy && question.trim() !== '') {
            ask(path, question.trim(), members);
        }
    };
    const clear = () => {
        clearAnswer(path);
        field.current.focus();
    };
    // A note about a busy server would repeat the question by itself, and each question costs.
    const againIfUseful = ({ status }) => status === 503 ? undefined : () => ask(path, asked, members);
    const refusal = error?.status === 400 ? error.message : null;
    const isShown = isBusy || answer || error;
    return html`<form class="ask" onSubmit=${submit} noValidate>
        <label class="label" for="ask-question">${label}</label>
        <div class="ask-line">
            <input class="input" id="ask-question" ref=${field} autocomplete="off" maxlength=${QUESTION_LENGTH_MAX}
                placeholder=${hint} value=${question} onInput=${type}
                aria-invalid=${refusal ? 'true' : undefined} aria-describedby=${refusal ? 'ask-error' : undefined} />
            <button class="button" type="submit" disabled=${isBusy}>${isBusy ? 'Asking…' : 'Ask'}</button>
        </div>
        ${refusal && html`<p class="field-error foreign" id="ask-error" role="alert">${refusal}</p>`}
        ${isShown && !refusal && html`<section class="answer stack" aria-label="Answer"
                aria-busy=${isBusy ? 'true' : undefined}>
            <div class="answer-head">
                <p class="answer-question foreign" dir="auto">${asked}</p>
                ${!isBusy && html`<button class="button button-plain button-small button-icon" type="button"
                    aria-label="Close the answer" onClick=${clear}><${Icon} name="close" /></button>`}
            </div>
            ${isBusy && html`<p class="muted" role="status">Reading the reels. This takes up to a minute.</p>`}
            ${error && html`<${FailureNote} error=${error} onRetry=${againIfUseful(error)} />`}
            ${answer && html`<${Answer} answer=${answer} reelId=${reelId} />`}
        </section>`}
    </form>`;
}
