// A value that several parts of the page watch.
import { useEffect, useState } from '../htm-preact.js';

/** A holder with `get()`, `set(value)` and `subscribe(listener)`, which returns how to stop listening. */
export function createStore(initial) {
    let value = initial;
    const listeners = new Set();
    return {
        get: () => value,
        set(next) {
            if (next === value) {
                return;
            }
            value = next;
            for (const listener of [...listeners]) {
                listener();
            }
        },
        subscribe(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
    };
}

/** The store's value; the component is drawn again when it changes. */
export function useStore(store) {
    const [value, setValue] = useState(store.get());
    useEffect(() => {
        const update = () => setValue(() => store.get());
        update(); // It may have changed between drawing and now.
        return store.subscribe(update);
    }, [store]);
    return value;
}
