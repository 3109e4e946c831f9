// Which address is which page. No DOM here: Node tests this file.

const PATTERNS = [
    ['reels', /^\/$/],
    ['sign_in', /^\/sign-in$/],
    ['join', /^\/join$/],
    ['reel', /^\/reels\/([1-9]\d{0,18})$/],
    ['tokens', /^\/tokens$/],
    ['webhooks', /^\/webhooks$/],
    ['usage', /^\/usage$/],
    ['account', /^\/account$/],
    ['admin', /^\/admin$/],
];

/** The page at a path: `{name, id}` (`id` a string, of a reel alone), or null when there is none. */
export function matchRoute(path) {
    for (const [name, pattern] of PATTERNS) {
        const match = pattern.exec(path);
        if (match) {
            return { name, id: match[1] };
        }
    }
    return null;
}

/** Whether a page is for people who have not signed in. */
export function isPublic(name) {
    return name === 'sign_in' || name === 'join';
}

/** The page to show after signing in: the path asked for when it is one of ours, else the first. */
export function pageAfterSignIn(wanted) {
    const path = wanted ?? '/';
    // A browser takes `//host` and `/\host` for another host.
    if (!/^\/(?![/\\])/.test(path)) {
        return '/';
    }
    const route = matchRoute(path.replace(/[?#].*$/, ''));
    return route && !isPublic(route.name) ? path : '/';
}

/** A path with those parameters that have a value. */
export function pathWithQuery(path, parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== '') {
            query.set(name, String(value));
        }
    }
    const text = query.toString();
    return text === '' ? path : `${path}?${text}`;
}

/** The moment, in seconds, that a fragment `#t=12.5` names, or null. */
export function momentOfFragment(fragment) {
    const match = /^#t=(\d{1,6}(?:\.\d{1,3})?)$/.exec(fragment);
    return match ? Number(match[1]) : null;
}
