// An observable value, shared by components.
import { useLayoutEffect, useState } from 'htm/preact/standalone';

/** A store with `get()`, `set(value)` and `subscribe(listener)`, which returns a function that unsubscribes. */
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

/** Returns the store's value and renders the component again when it changes. */
export function useStore(store) {
    const [value, setValue] = useState(store.get());
    useLayoutEffect(() => { // Before the paint, so that a key pressed at once meets the current value.
        const update = () => setValue(() => store.get());
        update(); // It may have changed since the render.
        return store.subscribe(update);
    }, [store]);
    return value;
}
