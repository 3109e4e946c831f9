// Client of the daemon's API: one function per request, one error type.

const RETRY_SECONDS = 5; // For a response that asks to retry without a delay.

/** A failed request. `status` is 0 when there was no response. */
export class ApiError extends Error {
    constructor(status, message, retrySeconds = null) {
        super(message);
        this.name = 'ApiError';
        this.status = status;
        this.retrySeconds = retrySeconds;
    }
}

const listeners = { signedOut: () => {}, renewSession: async () => false };
let csrfToken = null;

/** Sets the CSRF token that all changing requests carry; null after sign-out. */
export function setCsrfToken(token) {
    csrfToken = token;
}

/**
 * Sets the handlers of an ended session (`signedOut`) and of a session that another tab has replaced
 * (`renewSession`, which fetches it again and resolves to whether the same account has a new token).
 */
export function setSessionListeners(signedOut, renewSession) {
    listeners.signedOut = signedOut;
    listeners.renewSession = renewSession;
}

function retrySecondsOf(status, header) {
    const asksForPatience = status === 429 || status === 503;
    return asksForPatience ? Math.max(1, Number(header) || RETRY_SECONDS) : null;
}

function asSentence(message) {
    return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.');
}

async function errorOf(answer) {
    let message = null;
    try {
        const body = await answer.json();
        message = body.message ?? body.error ?? null;
    } catch {
        // A proxy answered instead of the daemon.
    }
    return new ApiError(answer.status, asSentence(message ?? `the server answered ${answer.status}`),
        retrySecondsOf(answer.status, answer.headers.get('Retry-After')));
}

async function send(method, path, body, options) {
    const headers = {};
    if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
    }
    if (method !== 'GET' && csrfToken) {
        headers['X-CSRF-Token'] = csrfToken;
    }
    if (options.idempotencyKey) {
        headers['Idempotency-Key'] = options.idempotencyKey;
    }
    try {
        return await fetch(`/dashboard${path}`, {
            method,
            headers,
            body: body === undefined ? undefined : JSON.stringify(body),
            credentials: 'same-origin',
            cache: 'no-store',
            signal: options.signal,
            keepalive: options.keepalive ?? false,
        });
    } catch (why) {
        if (why.name === 'AbortError') {
            throw why;
        }
        throw new ApiError(0, 'The server may be stopped or restarting.');
    }
}

/** Resolves to the response of `sendOnce`, called again if the session was renewed; rejects unless it is a success. */
async function successful(sendOnce, isChange, isSigningIn) {
    let token = csrfToken;
    let answer = await sendOnce();
    if (answer.status === 403 && isChange && await listeners.renewSession()) {
        token = csrfToken;
        answer = await sendOnce();
    }
    if (answer.ok) {
        return answer;
    }
    const why = await errorOf(answer);
    if (why.status === 401 && !isSigningIn && csrfToken === token) { // Otherwise it is about an earlier session.
        listeners.signedOut();
    }
    throw why;
}

/** The path of the next page, relative to `/dashboard`, from a `Link` header; null on the last page. */
export function nextPageOf(link) {
    const match = /<(?:https?:\/\/[^/>]+)?\/dashboard(\/[^>]+)>\s*;\s*rel="?next"?/.exec(link ?? '');
    return match ? match[1] : null;
}

/**
 * Sends one request below `/dashboard` and resolves to the successful response. `options`: `signal` aborts
 * it, `keepalive` lets it outlive the page, `isSigningIn` interprets 401 as a wrong password, `idempotencyKey`
 * identifies a submission. Rejects with ApiError, or with AbortError when aborted.
 */
export function request(method, path, body, options = {}) {
    return successful(() => send(method, path, body, options), method !== 'GET', options.isSigningIn);
}

/** Resolves to the JSON of a GET below `/dashboard/api`. */
export async function get(path, signal) {
    return (await request('GET', `/api${path}`, undefined, { signal })).json();
}

/** Resolves to one page of a list, `{items, next}`; pass `next` for the following page; null on the last. */
export async function getPage(path, signal) {
    const answer = await request('GET', `/api${path}`, undefined, { signal });
    const next = nextPageOf(answer.headers.get('Link'));
    return { items: await answer.json(), next: next ? next.replace(/^\/api/, '') : null };
}

/** Sends a change below `/dashboard/api`; resolves to the response's JSON, or null without a body. */
export async function change(method, path, body, options) {
    const answer = await request(method, `/api${path}`, body, options);
    return answer.status === 204 ? null : answer.json();
}

/**
 * The dashboard's address of a resource that the API names by its path, such as `/api/v1/reels/42/video`; null for any
 * other text.
 */
export function resourceAddress(path) {
    return typeof path === 'string' && path.startsWith('/api/v1/')
        ? path.replace('/api/v1/', '/dashboard/api/') : null;
}

/** Sends a form once; resolves to the response. XMLHttpRequest, as fetch() reports no progress. */
function sendForm(path, form, idempotencyKey, onProgress, signal) {
    return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const sending = new XMLHttpRequest();
        sending.upload.addEventListener('progress', (event) => {
            onProgress(event.total > 0 ? event.loaded / event.total : 0);
        });
        sending.addEventListener('load', () => {
            const headers = { 'Retry-After': sending.getResponseHeader('Retry-After') ?? '' };
            resolve(new Response(sending.responseText || null, { status: sending.status, headers }));
        });
        sending.addEventListener('error', () => {
            reject(new ApiError(0, 'The connection was lost while the file was sent.'));
        });
        sending.addEventListener('abort', () => reject(signal.reason));
        signal.addEventListener('abort', () => sending.abort());
        sending.open('POST', `/dashboard/api${path}`);
        sending.setRequestHeader('Idempotency-Key', idempotencyKey);
        if (csrfToken) {
            sending.setRequestHeader('X-CSRF-Token', csrfToken);
        }
        sending.send(form);
    });
}

/**
 * Uploads a form with a file below `/dashboard/api` and resolves to the response's JSON. `onProgress` receives the
 * fraction sent, 0 to 1. Rejects with ApiError, or with AbortError when `signal` aborts it.
 */
export async function upload(path, form, idempotencyKey, onProgress, signal) {
    return (await successful(() => sendForm(path, form, idempotencyKey, onProgress, signal), true)).json();
}
