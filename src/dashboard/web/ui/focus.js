// Where the keyboard stands after what it stood on has gone.

/** Puts it at the heading of the page, as after arriving there. */
export function focusHeading() {
    const heading = document.querySelector('main h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
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
