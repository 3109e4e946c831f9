// Client-side navigation: links within the dashboard do not reload the document.
import { matchRoute } from './routes.js';
import { createStore } from './store.js';

function readLocation() {
    return {
        route: matchRoute(location.pathname),
        path: location.pathname,
        query: new URLSearchParams(location.search),
        fragment: location.hash,
        // The scroll position when the page was left by a link, to be restored on return.
        scrollTop: history.state?.scrollTop ?? 0,
        isReturn: history.state !== null,
    };
}

/** The current location: `{route, path, query, fragment, scrollTop, isReturn}`; `route` is of matchRoute(). */
export const locationStore = createStore(readLocation());

let cameFrom = null; // The path from which this page was opened by a link or a key.

function update() {
    locationStore.set(readLocation());
}

/** Navigates to an address of the dashboard. `isReplacing` replaces the history entry. */
export function navigate(address, isReplacing = false) {
    if (isReplacing) {
        history.replaceState(null, '', address);
    } else {
        cameFrom = location.pathname;
        history.replaceState({ scrollTop: scrollY }, '');
        history.pushState(null, '', address);
    }
    update();
}

/** Goes to a page; back in the history if this one was opened from there, so that it is as it was. */
export function returnTo(path) {
    if (cameFrom === path) {
        history.back();
    } else {
        navigate(path);
    }
}

/** Changes the address of this page in the history without navigating. */
export function noteAddress(address) {
    history.replaceState(history.state, '', address);
}

function isOurs(link) {
    return link.origin === location.origin && !link.target && !link.hasAttribute('download')
        && matchRoute(link.pathname) !== null;
}

function followLink(event) {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
        && !event.altKey && !event.defaultPrevented;
    const link = isPlain ? event.target.closest?.('a[href]') : null;
    if (!link || !isOurs(link) || link.getAttribute('href').startsWith('#')) {
        return;
    }
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
}

/** Starts to handle links and the browser's back and forward buttons. */
export function startNavigation() {
    history.scrollRestoration = 'manual';
    addEventListener('popstate', () => {
        cameFrom = null;
        update();
    });
    document.addEventListener('click', followLink);
}
