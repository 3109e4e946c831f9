// Formats money, counts and sizes. No DOM, so that Node can test this file.

/** US dollars without an exponent and without rounding noise, for titles and tables: `0.00048612`. */
export function exactMoney(dollars) {
    return dollars.toFixed(12).replace(/\.?0+$/, '');
}

const CENTS_FROM = 0.1; // Dollars.

/**
 * US dollars for display: two decimals from ten cents on, three significant digits below (`$0.0486`), since
 * one reel costs fractions of a cent. Null, an unknown cost, is `unknown`.
 */
export function formatMoney(dollars) {
    if (dollars === null || dollars === undefined) {
        return 'unknown';
    }
    if (dollars === 0) {
        return '$0';
    }
    const digits = dollars < CENTS_FROM && { maximumSignificantDigits: 3, roundingPriority: 'morePrecision' };
    return dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, ...digits });
}

/** A count with thousands separators: `312,400`. */
export function formatCount(count) {
    return count === null || count === undefined ? 'unknown' : count.toLocaleString('en-US');
}

/** A count in compact form: `312K`, `1.2M`. */
export function formatShortCount(count) {
    return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
        .format(count);
}

/** Bytes in decimal units: `3.4 MB`. */
export function formatBytes(bytes) {
    const units = ['bytes', 'kB', 'MB', 'GB'];
    const unit = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3)));
    return `${unit === 0 ? bytes : (bytes / 1000 ** unit).toFixed(1)} ${units[unit]}`;
}

/** `1 reel`, `2 reels`: appends an s unless another plural is given. */
export function countOf(count, word, plural = `${word}s`) {
    return `${formatCount(count)} ${count === 1 ? word : plural}`;
}
