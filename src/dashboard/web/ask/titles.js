// The titles of the reels that an answer cites.
import { get } from '../core/api.js';
import { listStore } from '../reels/list.js';
import { headlineOf } from '../reels/row.js';
import { useLoading } from '../ui/loading.js';

async function readTitle(id, signal) {
    const { url, result } = await get(`/reels/${id}`, signal);
    return headlineOf({ url, summary: result?.content.summary });
}

/** The titles of reels as a map by id: those of the list at once, others when they have been read; null if that failed. */
export function useTitles(ids) {
    const listed = listStore.get().reels.filter(({ id, status }) => ids.includes(id) && status === 'done');
    const known = new Map(listed.map((reel) => [reel.id, headlineOf(reel)]));
    const missing = ids.filter((id) => !known.has(id));
    const { data } = useLoading((signal) => Promise.all(missing.map(async (id) =>
        [id, await readTitle(id, signal).catch(() => null)])), [ids.join()]);
    return new Map([...data ?? [], ...known]);
}
