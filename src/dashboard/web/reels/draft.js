// What is typed to submit reels. It outlives its page and an expired session, until another account signs in.
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';
import { NO_OPTIONS } from './option_members.js';

const NOTHING = { text: '', fields: NO_OPTIONS, isFresh: false };

/** `text` has the links, `fields` are the options, and `isFresh` asks for another analysis. */
export const draftStore = createStore(NOTHING);

/** Changes members of the draft. */
export function changeDraft(news) {
    draftStore.set({ ...draftStore.get(), ...news });
}

/** Replaces the text unless what was typed meanwhile differs from `sent`. */
export function replaceText(sent, text) {
    if (draftStore.get().text === sent) {
        changeDraft({ text });
    }
}

let account = null;

sessionStore.subscribe(() => {
    const { session } = sessionStore.get();
    if (session && session.account.id !== account) {
        account = session.account.id;
        draftStore.set(NOTHING);
    }
});
