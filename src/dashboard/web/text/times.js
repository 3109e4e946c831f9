// Formats times and durations. No DOM, so that Node can test this file.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds within a video as `m:ss`, with `tenths` as `m:ss.t`; never negative. */
export function formatTimecode(seconds, tenths = false) {
    const total = Math.max(0, Number(seconds) || 0);
    const units = tenths ? Math.round(total * 10) : Math.floor(total) * 10;
    const minutes = Math.floor(units / 600);
    const rest = units - minutes * 600;
    const whole = String(Math.floor(rest / 10)).padStart(2, '0');
    return `${minutes}:${whole}` + (tenths ? `.${rest % 10}` : '');
}

/** A duration in at most two units: `48 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function formatLength(seconds) {
    const total = Math.max(0, Math.round(Number(seconds) || 0));
    const units = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'min'], [1, 's']];
    const first = units.findIndex(([size]) => total >= size);
    if (first < 0) {
        return '0 s';
    }
    const [size, name] = units[first];
    const major = `${Math.floor(total / size)} ${name}`;
    const next = units[first + 1];
    const minor = next ? Math.floor((total % size) / next[0]) : 0;
    return minor > 0 ? `${major} ${minor} ${next[1]}` : major;
}

/** The begin of the local day of a time, in milliseconds. */
function midnightOf(time) {
    return new Date(time).setHours(0, 0, 0, 0);
}

/**
 * The age of an RFC 3339 time at `now` (milliseconds): `just now`, `5 min ago`, `3 h ago`, `2 days ago`; null
 * beyond a week, where a date is more useful. Days are those of the user's calendar.
 */
export function formatAge(time, now) {
    const seconds = (now - Date.parse(time)) / 1000;
    if (Number.isNaN(seconds) || seconds >= 7 * DAY || seconds < -MINUTE) {
        return null;
    }
    if (seconds < MINUTE) {
        return 'just now';
    }
    if (seconds < HOUR) {
        return `${Math.floor(seconds / MINUTE)} min ago`;
    }
    if (seconds < DAY) {
        return `${Math.floor(seconds / HOUR)} h ago`;
    }
    const days = Math.round((midnightOf(now) - midnightOf(time)) / (1000 * DAY));
    return days === 1 ? 'yesterday' : `${days} days ago`;
}

/** Date and time in the user's time zone, or in `timeZone`: `22 May 2026, 12:00`. */
export function formatDateTime(time, timeZone) {
    return new Intl.DateTimeFormat('en-GB', {
        day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone,
    }).format(new Date(time));
}

/** The exact time, for tooltips: `2026-05-22 10:00:00 UTC`. */
export function formatUtc(time) {
    const date = new Date(time);
    return Number.isNaN(date.getTime())
        ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A day of the calendar, `YYYY-MM-DD`, as `22 May`; with `long` as `Friday, 22 May 2026`. */
export function formatDay(date, long = false) {
    const parts = long
        ? { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }
        : { day: 'numeric', month: 'short' };
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' })
        .format(new Date(`${date}T00:00:00Z`));
}

/** A month `YYYY-MM` as `November 2026`. */
export function formatMonth(month) {
    return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
        .format(new Date(`${month}-01T00:00:00Z`));
}
