// Server-sent events, as long as the page is visible: browsers limit the connections to a host.

const RETRY_SECONDS_MAX = 30;

/**
 * Follows the stream at `address`. `listeners` receive the data of events, by their type. `onOpen(isNew)` follows each
 * connection, which the browser resumes unless it is new; `onBreak` each loss of it. When the server has rejected the
 * stream, `onRefused` is called, and `beforeRetry` before the next attempt. Returns a function that stops.
 */
export function followEvents(address, listeners, { onOpen, onBreak, onRefused, beforeRetry, onVisibility }) {
    let source = null;
    let retrySeconds = 1;
    let retryTimer = 0;
    let isStopped = false;

    const close = () => {
        clearTimeout(retryTimer);
        source?.close();
        source = null;
    };
    const retry = async () => {
        await beforeRetry?.();
        open();
    };
    const refuse = () => {
        close();
        retryTimer = setTimeout(retry, retrySeconds * 1000);
        retrySeconds = Math.min(retrySeconds * 2, RETRY_SECONDS_MAX);
        onRefused?.();
    };
    const open = () => {
        if (source || isStopped || document.hidden) {
            return;
        }
        let isNew = true;
        source = new EventSource(address);
        source.onopen = () => {
            retrySeconds = 1;
            onOpen?.(isNew);
            isNew = false;
        };
        // The browser reconnects a broken stream with Last-Event-ID; after a rejection it stops.
        source.onerror = () => source?.readyState === EventSource.CLOSED ? refuse() : onBreak?.();
        for (const [type, listener] of Object.entries(listeners)) {
            source.addEventListener(type, ({ data }) => listener(JSON.parse(data)));
        }
    };
    const followVisibility = () => {
        if (document.hidden) {
            close();
        } else {
            open();
        }
        onVisibility?.();
    };
    document.addEventListener('visibilitychange', followVisibility);
    open();
    return () => {
        isStopped = true;
        document.removeEventListener('visibilitychange', followVisibility);
        close();
    };
}
