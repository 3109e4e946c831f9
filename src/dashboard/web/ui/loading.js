// Loads the data of a page, initially and on demand.
import { useEffect, useRef, useState } from 'htm/preact/standalone';

/**
 * Runs `load(signal)` when the component mounts and whenever a value of `keys` changes. Returns `{data, error,
 * isLoading, reload, setData}`; a reload for the same keys keeps the old data until the new data arrive. A load that
 * failed is repeated when the browser is online again.
 */
export function useLoading(load, keys) {
    const [state, setState] = useState({ data: null, error: null, isLoading: true });
    const running = useRef(null);
    const start = (keepsData) => {
        running.current?.abort();
        const controller = new AbortController();
        running.current = controller;
        setState((old) => ({ data: keepsData ? old.data : null, error: null, isLoading: true }));
        load(controller.signal).then(
            (data) => running.current === controller
                && setState({ data, error: null, isLoading: false }),
            (error) => running.current === controller && error.name !== 'AbortError'
                && setState((old) => ({ data: old.data, error, isLoading: false })));
    };
    useEffect(() => {
        start(false);
        return () => {
            running.current?.abort();
            running.current = null;
        };
    }, keys);
    useEffect(() => {
        const retry = () => start(true);
        if (state.error) {
            addEventListener('online', retry);
        }
        return () => removeEventListener('online', retry);
    }, [state.error]);
    const setData = (data) => setState((old) => ({ ...old, data }));
    return { ...state, reload: () => start(true), setData };
}

/** Calls `run` every `seconds` while the page is visible, and immediately when it becomes visible. */
export function useRepetition(run, seconds) {
    const latest = useRef(run);
    latest.current = run;
    useEffect(() => {
        const runVisible = () => !document.hidden && latest.current();
        const timer = setInterval(runVisible, seconds * 1000);
        document.addEventListener('visibilitychange', runVisible);
        return () => {
            clearInterval(timer);
            document.removeEventListener('visibilitychange', runVisible);
        };
    }, [seconds]);
}
