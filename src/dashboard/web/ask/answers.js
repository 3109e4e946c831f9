// Questions to the reels and their latest answers, which outlive their page and a reload, until the tab is closed.
import { change } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';

const NOTHING = { question: '', isBusy: false, asked: '', answer: null, error: null };
const stores = new Map(); // By path of the question.
const KEY = 'reelsd-answers';
const KEPT_MAX = 10; // Answers, each of a few kilobytes.
let leaving = new AbortController(); // Aborts all questions on sign-out.

/** The kept answers of the account as `[path, {asked, answer}]`, the latest last. */
function keptAnswers() {
    try {
        const { account, answers } = JSON.parse(sessionStorage.getItem(KEY));
        return account === sessionStore.get().session?.account.id ? answers : [];
    } catch {
        return []; // There are none, or no storage.
    }
}

/** Keeps an answer at `path`, or without one nothing. */
function keep(path, kept) {
    const others = keptAnswers().filter(([other]) => other !== path);
    const answers = [...others, ...kept ? [[path, kept]] : []].slice(-KEPT_MAX);
    try {
        sessionStorage.setItem(KEY, JSON.stringify({ account: sessionStore.get().session?.account.id, answers }));
    } catch {
        // Without storage, a reload loses the answer.
    }
}

/**
 * The store of the questions at `path` (`/reels/ask` or `/reels/{id}/ask`): `question` is the typed text, `asked` the
 * one that `answer` or `error` belongs to.
 */
export function answerStore(path) {
    if (!stores.has(path)) {
        const kept = keptAnswers().find(([other]) => other === path)?.[1];
        stores.set(path, createStore(kept ? { ...NOTHING, ...kept, question: kept.asked } : NOTHING));
    }
    return stores.get(path);
}

/** Whether there is a typed question or an answer at `path`. */
export function hasQuestion(path) {
    return answerStore(path).get() !== NOTHING;
}

/** Sends the question at `path`; `members` are further members of the body. */
export async function ask(path, question, members) {
    const store = answerStore(path);
    const { signal } = leaving;
    const note = (news) => store.set({ ...store.get(), ...news });
    note({ isBusy: true, asked: question, answer: null, error: null });
    try {
        const answer = await change('POST', path, { question, ...members }, { signal });
        note({ answer, isBusy: false });
        keep(path, { asked: question, answer });
    } catch (error) {
        if (!signal.aborted) {
            note({ error, isBusy: false });
        }
    }
}

/** Removes the answer at `path`. */
export function clearAnswer(path) {
    answerStore(path).set(NOTHING);
    keep(path, null);
}

// The next user of this browser must not see them.
sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        leaving.abort();
        leaving = new AbortController();
        stores.forEach((store) => store.set(NOTHING));
        sessionStorage.removeItem(KEY);
    }
});
