// Where the keyboard stands after what it stood on has gone.

const WAIT_MILLISECONDS = 3000;

/** Puts it at the heading of the page, as after arriving there. */
export function focusHeading() {
    const heading = document.querySelector('main h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
}

/**
 * Puts it at the heading, and from there at what `selector` finds as soon as it is there, unless the reader has
 * gone on meanwhile. Returns how to stop waiting.
 */
export function focusWhenThere(selector) {
    focusHeading();
    const main = document.querySelector('main');
    const start = document.activeElement;
    const look = () => {
        const target = main.querySelector(selector);
        const hasGoneOn = ![start, document.body].includes(document.activeElement);
        if (target && !hasGoneOn) {
            target.focus({ preventScroll: true });
            target.scrollIntoView({ block: 'nearest' });
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
 * Puts it at what `selector` finds in the item after `item`, else in the one before, and so on outwards;
 * returns whether there was one.
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
