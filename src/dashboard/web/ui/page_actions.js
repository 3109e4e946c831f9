// What can be done with the subject of the shown page. The command palette offers it first.
import { useEffect, useRef } from 'htm/preact/standalone';
import { createStore } from '../core/store.js';

const NONE = { title: '', actions: [] };

/** `title` names the subject of `actions`: `[{name, label, icon, keys, run}]`, with `keys` only for those that have some. */
export const pageActionsStore = createStore(NONE);

/** Offers actions while the component is shown. */
export function usePageActions(title, actions) {
    const latest = useRef(actions);
    latest.current = actions;
    useEffect(() => {
        const run = (name) => latest.current.find((action) => action.name === name)?.run();
        pageActionsStore.set({ title, actions: actions.map((action) => ({ ...action, run: () => run(action.name) })) });
        return () => pageActionsStore.set(NONE);
    }, [title, actions.map(({ name }) => name).join()]);
}
