// The address bar and the pages: links within the dashboard load nothing anew.
import { matchRoute } from './routes.js';
import { createStore } from './store.js';

function readLocation() {
    return {
        route: matchRoute(location.pathname),
        path: location.pathname,
        query: new URLSearchParams(location.search),
        fragment: location.hash,
        // How far down the page stood when it was left by a link, to be restored on coming back.
        scrollTop: history.state?.scrollTop ?? 0,
        isReturn: history.state !== null,
    };
}

/** Where we are: `{route, path, query, fragment, scrollTop, isReturn}`; `route` as of matchRoute(). */
export const locationStore = createStore(readLocation());

function update() {
    locationStore.set(readLocation());
}

/** Goes to an address of the dashboard. `isReplacing` leaves no step to go back to. */
export function navigate(address, isReplacing = false) {
    if (isReplacing) {
        history.replaceState(null, '', address);
    } else {
        history.replaceState({ scrollTop: scrollY }, '');
        history.pushState(null, '', address);
    }
    update();
}

/** Changes the address of this page, for links and for coming back, without showing another one. */
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

/** Starts to follow links and the browser's own back and forward. */
export function startNavigation() {
    history.scrollRestoration = 'manual';
    addEventListener('popstate', update);
    document.addEventListener('click', followLink);
}
