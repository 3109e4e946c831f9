// Texts for the limits of an account. No DOM, so that Node can test this file.
import { formatCount, formatMoney } from '../text/numbers.js';
import { formatLength } from '../text/times.js';

const REELS_COUNTED_MAX = 10_000; // The server counts no further.
const MEBIBYTE = 2 ** 20; // As in the server's messages.

function counted(count) {
    return count >= REELS_COUNTED_MAX ? `${formatCount(REELS_COUNTED_MAX)} or more` : formatCount(count);
}

/** The rows of the table, `[{name, used, allowed}]`; `used` is null where nothing is counted. */
export function limitRows(limits, budget) {
    const estimated = budget.estimated_this_month_usd ?? 0;
    const spent = formatMoney(budget.spent_this_month_usd + estimated);
    const waiting = Math.max(0, limits.active_jobs - limits.concurrent_jobs);
    return [
        { name: 'Reels analysed at the same time', used: counted(Math.min(limits.active_jobs, limits.concurrent_jobs)),
            allowed: formatCount(limits.concurrent_jobs) },
        { name: 'Reels waiting in the queue', used: counted(waiting), allowed: formatCount(limits.queued_jobs) },
        { name: 'Reels stored', used: counted(limits.reels), allowed: 'no limit' },
        { name: 'Cost this month', used: estimated > 0 ? `${spent}, of which ${formatMoney(estimated)} estimated` : spent,
            allowed: budget.monthly_budget_usd === null ? 'no limit' : formatMoney(budget.monthly_budget_usd) },
        { name: 'Reels submitted per minute', used: null, allowed: formatCount(limits.submissions_per_minute) },
        { name: 'Other requests per minute', used: null, allowed: formatCount(limits.requests_per_minute) },
        { name: 'Length of a video', used: null, allowed: formatLength(limits.video_seconds_max) },
        { name: 'Size of an uploaded video', used: null, allowed: `${Number((limits.video_bytes_max / MEBIBYTE).toFixed(1))} MiB` },
    ];
}
