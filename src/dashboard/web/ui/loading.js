// Loads the data of a page, initially and on demand.
import { useEffect, useRef, useState } from 'htm/preact/standalone';
import { onLive } from '../core/live.js';

/**
 * Runs `load(signal)` when the component mounts and whenever a value of `keys` changes. Returns `{data, error,
 * isLoading, reload, setData}`; a reload for the same keys keeps the old data until the new data arrive. A load that
 * failed, but not by a refusal, is repeated when the browser is online or the server reachable again.
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
        if (!state.error || (state.error.status >= 400 && state.error.status < 500)) {
            return undefined;
        }
        const retry = () => start(true);
        addEventListener('online', retry);
        const unsubscribe = onLive('reached', retry);
        return () => {
            removeEventListener('online', retry);
            unsubscribe();
        };
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
