// Questions to the reels and their latest answers, which outlive their page so that a return finds them.
import { change } from '../core/api.js';
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';

const NOTHING = { question: '', isBusy: false, asked: '', answer: null, error: null };
const stores = new Map(); // By path of the question.

/**
 * The store of the questions at `path` (`/reels/ask` or `/reels/{id}/ask`): `question` is the typed text, `asked` the
 * one that `answer` or `error` belongs to.
 */
export function answerStore(path) {
    if (!stores.has(path)) {
        stores.set(path, createStore(NOTHING));
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
    const note = (news) => store.set({ ...store.get(), ...news });
    note({ isBusy: true, asked: question, answer: null, error: null });
    try {
        note({ answer: await change('POST', path, { question, ...members }), isBusy: false });
    } catch (error) {
        note({ error, isBusy: false });
    }
}

/** Removes the answer at `path`. */
export function clearAnswer(path) {
    answerStore(path).set(NOTHING);
}

// The next user of this browser must not see them.
sessionStore.subscribe(() => {
    if (sessionStore.get().state === 'signed_out') {
        stores.forEach((store) => store.set(NOTHING));
    }
});
