// Parts of pages that a user closes for good in this browser.
import { useState } from 'htm/preact/standalone';

function isClosed(key) {
    try {
        return localStorage.getItem(key) === 'closed';
    } catch {
        return false; // Without storage, it comes back with the next visit.
    }
}

/** `[isOpen, close]` of the part that `key` names. */
export function useClosable(key) {
    const [isOpen, setIsOpen] = useState(!isClosed(key));
    const close = () => {
        setIsOpen(false);
        try {
            localStorage.setItem(key, 'closed');
        } catch {
            // See isClosed().
        }
    };
    return [isOpen, close];
}
