// Starts the dashboard and renders the page of the address in the shell.
import { html, render, useEffect, useErrorBoundary } from 'htm/preact/standalone';
import { startLive, stopLive } from './core/live.js';
import { locationStore, navigate, startNavigation } from './core/navigation.js';
import { isPublic, pageAfterSignIn, pathWithQuery } from './core/routes.js';
import { loadSession, sessionStore } from './core/session.js';
import { useStore } from './core/store.js';
import { Page as Account } from './pages/account.js';
import { Page as Admin } from './pages/admin.js';
import { Page as Compare } from './pages/compare.js';
import { Page as Join } from './pages/join.js';
import { Page as NotFound } from './pages/not_found.js';
import { Page as Reel } from './pages/reel.js';
import { Page as Reels } from './pages/reels.js';
import { Page as SignIn } from './pages/sign_in.js';
import { Page as Tokens } from './pages/tokens.js';
import { Page as Usage } from './pages/usage.js';
import { Page as Webhooks } from './pages/webhooks.js';
import { Shell } from './shell.js';
import { FailureNote } from './ui/notes.js';

const PAGES = {
    reels: Reels, reel: Reel, compare: Compare, tokens: Tokens, webhooks: Webhooks, usage: Usage, account: Account,
    admin: Admin, sign_in: SignIn, join: Join, not_found: NotFound,
};

/** The page to render, or null while the address is about to change. */
function pageNameOf(place, session) {
    const name = place.route?.name ?? 'not_found';
    if (session.state === 'signed_in') {
        if (name === 'sign_in') {
            return null;
        }
        return name === 'admin' && !session.session.account.is_admin ? 'not_found' : name;
    }
    return isPublic(name) ? name : null;
}

/** Redirects signed-out users to the sign-in page, and signed-in users away from it. */
function redirect() {
    // The current values: both may have changed since the render.
    const place = locationStore.get();
    const session = sessionStore.get();
    const name = place.route?.name;
    if (session.state === 'unknown' && !isPublic(name)) {
        loadSession();
    } else if (session.state === 'signed_in' && name === 'sign_in') {
        navigate(pageAfterSignIn(place.query.get('next')), true);
    } else if (session.state === 'signed_out' && !isPublic(name)) {
        const target = place.path + location.search + place.fragment;
        navigate(pathWithQuery('/sign-in', { next: target === '/' ? null : target }), true);
    }
}

const BROKEN = { status: null, message: 'This page could not be shown. Try to reload it.' };

/** Error boundary: a page that throws shows a message, and the rest of the dashboard keeps working. */
function Guarded({ Page, place, session }) {
    const [why] = useErrorBoundary(console.error);
    return why
        ? html`<${FailureNote} error=${BROKEN} onRetry=${() => location.reload()} />`
        : html`<${Page} place=${place} session=${session} />`;
}

function Dashboard() {
    const place = useStore(locationStore);
    const session = useStore(sessionStore);
    useEffect(redirect, [place, session]);
    useEffect(() => {
        if (session.state === 'signed_in') {
            startLive();
        } else if (session.state === 'signed_out') {
            stopLive();
        }
    }, [session.state]);
    const Page = PAGES[pageNameOf(place, session)];
    if (session.state === 'unreachable') {
        return html`<${Shell} place=${place} session=${null}>
            <${FailureNote} error=${session.error} onRetry=${loadSession} /><//>`;
    }
    return html`<${Shell} place=${place} session=${session.session} isBusy=${!Page}>
        ${Page && html`<${Guarded} key=${place.path} Page=${Page} place=${place}
            session=${session.session} />`}
    <//>`;
}

async function start() {
    startNavigation();
    // Pages for signed-out users need no session; the request would be rejected.
    if (!isPublic(locationStore.get().route?.name)) {
        await loadSession();
    }
    const root = document.getElementById('app');
    root.replaceChildren();
    render(html`<${Dashboard} />`, root);
}

start();
