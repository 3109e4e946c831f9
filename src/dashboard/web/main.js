// Starts the dashboard and renders the page of the address in the shell.
import { html, render, useEffect, useErrorBoundary, useState } from './htm-preact.js';
import { startLive, stopLive } from './core/live.js';
import { locationStore, navigate, startNavigation } from './core/navigation.js';
import { isPublic, pageAfterSignIn, pathWithQuery } from './core/routes.js';
import { loadSession, sessionStore } from './core/session.js';
import { useStore } from './core/store.js';
import { withStyles } from './core/styles.js';
import { Shell } from './shell.js';
import { FailureNote } from './ui/notes.js';

// Rarely used pages load when they are opened.
const PAGES = {
    reels: () => import('./pages/reels.js'),
    reel: () => withStyles(import('./pages/reel.js'), 'reel.css', 'answers.css', 'pages.css'),
    compare: () => withStyles(import('./pages/compare.js'), 'reel.css', 'answers.css'),
    tokens: () => withStyles(import('./pages/tokens.js'), 'pages.css'),
    webhooks: () => withStyles(import('./pages/webhooks.js'), 'pages.css'),
    usage: () => withStyles(import('./pages/usage.js'), 'pages.css'),
    account: () => withStyles(import('./pages/account.js'), 'pages.css'),
    admin: () => withStyles(import('./pages/admin.js'), 'pages.css'),
    sign_in: () => withStyles(import('./pages/sign_in.js'), 'pages.css'),
    join: () => withStyles(import('./pages/join.js'), 'pages.css'),
    not_found: () => import('./pages/not_found.js'),
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

function usePage(name) {
    const [loaded, setLoaded] = useState({ name: null, Page: null, error: null });
    useEffect(() => {
        let isWanted = true;
        if (name !== null) {
            PAGES[name]().then(
                (module) => isWanted && setLoaded({ name, Page: module.Page, error: null }),
                () => isWanted && setLoaded({ name, Page: null, error: {
                    status: 0, message: 'This page could not be loaded. The server may be stopped or restarting.' } }));
        }
        return () => {
            isWanted = false;
        };
    }, [name]);
    return loaded.name === name ? loaded : { name, Page: null, error: null };
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
    const name = pageNameOf(place, session);
    const { Page, error } = usePage(name);
    if (session.state === 'unreachable') {
        return html`<${Shell} place=${place} session=${null}>
            <${FailureNote} error=${session.error} onRetry=${loadSession} /><//>`;
    }
    if (error) {
        return html`<${Shell} place=${place} session=${session.session}>
            <${FailureNote} error=${error} onRetry=${() => location.reload()} /><//>`;
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
