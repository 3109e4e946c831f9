// Parts of pages that a user closes for good in this browser.
import { useState } from 'htm/preact/standalone';
import { readStored, store } from '../core/stored.js';

/** `[isOpen, close]` of the part that `key` names. */
export function useClosable(key) {
    const [isOpen, setIsOpen] = useState(readStored(key) !== 'closed');
    const close = () => {
        setIsOpen(false);
        store(key, 'closed');
    };
    return [isOpen, close];
}
