// What is typed to submit reels. It outlives its page and an expired session, until another account signs in.
import { sessionStore } from '../core/session.js';
import { createStore } from '../core/store.js';
import { NO_OPTIONS } from './option_members.js';

const NOTHING = { text: '', uploadText: '', fields: NO_OPTIONS, isFresh: false, upload: null };

/**
 * `text` has the links, or `uploadText` while the address asks for an upload. `fields` are the options, and `isFresh` asks
 * for another analysis. `upload` is the one in progress, `{name, share}`, or null.
 */
export const draftStore = createStore(NOTHING);

/** Changes members of the draft. */
export function changeDraft(news) {
    draftStore.set({ ...draftStore.get(), ...news });
}

/** Replaces `member`, one of the texts, unless what was typed meanwhile differs from `sent`. */
export function replaceText(member, sent, text) {
    if (draftStore.get()[member] === sent) {
        changeDraft({ [member]: text });
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
