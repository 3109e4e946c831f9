// The sign-in session.
import { ApiError, request, setCsrfToken, setSessionListeners } from './api.js';
import { createStore } from './store.js';

/**
 * `state` is `unknown` until the daemon has answered, then `signed_in` with the session view in `session`,
 * `signed_out`, or `unreachable` with the reason in `error`.
 */
export const sessionStore = createStore({ state: 'unknown', session: null, error: null });

/** Whether the signed-in account is an administrator. */
export function isAdministrator() {
    return sessionStore.get().session?.account.is_admin ?? false;
}

function adopt(session) {
    setCsrfToken(session.csrf_token);
    sessionStore.set({ state: 'signed_in', session, error: null });
    return session;
}

/** Clears the session, as when its account was deleted. */
export function forgetSession() {
    setCsrfToken(null);
    sessionStore.set({ state: 'signed_out', session: null, error: null });
}

/**
 * Fetches the session, and stores it unless another account has signed in since: then the document is loaded again, so
 * that nothing of the one is shown or sent for the other. Resolves to the session, or to null if it is another account's.
 */
async function fetchSession() {
    const session = await (await request('GET', '/api/session')).json();
    const known = sessionStore.get().session;
    if (known && known.account.id !== session.account.id) {
        location.reload();
        sessionStorage.clear(); // It outlives the document.
        return null;
    }
    return adopt(session);
}

/**
 * Fetches the session; resolves to whether the daemon answered. Never rejects, and does not resolve if the document is
 * loaded again.
 */
export async function loadSession() {
    try {
        return await fetchSession() !== null || await new Promise(() => {});
    } catch (error) {
        const isRefusal = error instanceof ApiError && error.status === 401; // Already handled.
        // An open page stays usable while the network is down.
        if (!isRefusal && sessionStore.get().state !== 'signed_in') {
            sessionStore.set({ state: 'unreachable', session: null, error });
        }
        return error.status > 0;
    }
}

async function renewSession() {
    const before = sessionStore.get().session?.csrf_token;
    try {
        const session = await fetchSession();
        return session !== null && session.csrf_token !== before;
    } catch {
        return false;
    }
}

setSessionListeners(forgetSession, renewSession);

/** Signs in; rejects with ApiError 400, 401 or 429. */
export async function signIn(email, password) {
    const answer = await request('POST', '/sign-in', { email, password }, { isSigningIn: true });
    return adopt(await answer.json());
}

/** Fetches the purpose of a setup or invitation link, `{purpose, email}`; rejects with 404 if it is used or expired. */
export async function readInvitation(token) {
    return (await request('POST', '/invitation', { token }, { isSigningIn: true })).json();
}

/** Sets the password by a link, and signs in. `email` is null unless the link requires one. */
export async function acceptInvitation(token, email, password) {
    const body = email === null ? { token, password } : { token, email, password };
    const answer = await request('POST', '/invitation/accept', body, { isSigningIn: true });
    return adopt(await answer.json());
}

/** Changes the password; all other sessions of the account end. */
export async function changePassword(current, next) {
    const body = { current_password: current, new_password: next };
    adopt(await (await request('POST', '/api/password', body)).json());
}

/** Signs out. The page forgets the session even if the request fails. */
export async function signOut() {
    try {
        await request('POST', '/api/sign-out');
    } finally {
        forgetSession();
    }
}
