// Keeps the keyboard focus when the focused element disappears.

const WAIT_MILLISECONDS = 3000;

/** Focuses the heading of the page, as after a navigation. */
export function focusHeading() {
    const heading = document.querySelector('main h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
}

/**
 * Focuses the heading, then the element of `selector` as soon as it exists, unless the user has moved the focus;
 * `onFocused` receives it. Returns a function that stops waiting.
 */
export function focusWhenThere(selector, onFocused) {
    focusHeading();
    const main = document.querySelector('main');
    const start = document.activeElement;
    const look = () => {
        const target = main.querySelector(selector);
        const hasGoneOn = ![start, document.body].includes(document.activeElement);
        if (target && !hasGoneOn) {
            target.focus({ preventScroll: true });
            target.scrollIntoView({ block: 'nearest' });
            onFocused?.(target);
        }
        if (target || hasGoneOn) {
            stop();
        }
    };
    const observer = new MutationObserver(look);
    const timer = setTimeout(() => stop(), WAIT_MILLISECONDS);
    const stop = () => {
        observer.disconnect();
        clearTimeout(timer);
    };
    observer.observe(main, { childList: true, subtree: true });
    look();
    return stop;
}

/**
 * Focuses the element of `selector` in the item after `item`, otherwise before it, and so on outwards. Returns
 * whether there was one.
 */
export function focusNear(item, selector) {
    for (const side of ['nextElementSibling', 'previousElementSibling']) {
        for (let other = item[side]; other; other = other[side]) {
            const target = other.querySelector(selector);
            if (target) {
                target.focus();
                return true;
            }
        }
    }
    return false;
}
