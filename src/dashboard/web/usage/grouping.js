// Groups usage rows (one per day and model) into chart columns. No DOM, so that Node can test this file.

/** Number of chart colours; further models share the last. */
export const SERIES_MAX = 6;

/** The style of an element in a chart colour. */
export function seriesStyle(series) {
    return { '--series': `var(--series-${series})` };
}

/** The name of a row's model: `gemini-2.5-flash`, or the provider without one. */
export function modelName(row) {
    return row.model || row.provider || 'unknown';
}

const PURPOSES = {
    analysis: 'Analyses', transcription: 'Transcriptions', ask: 'Questions', embedding: 'Embeddings',
};

/** What a row's calls were made for: `Analyses`, `Transcriptions`, `Questions` or `Embeddings`. */
export function purposeName(row) {
    return PURPOSES[row.purpose] ?? row.purpose ?? PURPOSES.analysis;
}

/** A row's amount in a measure, `money` or `tokens`; an unknown cost is 0. */
export function amountOf(row, measure) {
    return measure === 'money' ? row.cost_usd ?? 0 : row.total_tokens ?? 0;
}

/** Rounds a sum of dollars to remove binary rounding noise. */
export function sumMoney(amounts) {
    return Math.round(amounts.reduce((sum, one) => sum + one, 0) * 1e12) / 1e12;
}

/** Sums by model, or by another name of rows, `[{name, amount}]`, largest first. */
export function modelSums(rows, measure, nameOf = modelName) {
    const sums = new Map();
    for (const row of rows) {
        const name = nameOf(row);
        sums.set(name, sumMoney([sums.get(name) ?? 0, amountOf(row, measure)]));
    }
    return [...sums].map(([name, amount]) => ({ name, amount }))
        .sort((one, other) => other.amount - one.amount || one.name.localeCompare(other.name));
}

/**
 * One column per day: `[{date, total, parts: [{name, series, amount, from, to}]}]`, with the parts stacked in
 * the order of `names`, which `nameOf` gives to rows; `from` and `to` are cumulative.
 */
export function dayColumns(rows, days, names, measure, nameOf = modelName) {
    const byDay = new Map(days.map((date) => [date, []]));
    for (const row of rows) {
        byDay.get(row.date)?.push(row);
    }
    return days.map((date) => {
        const parts = [];
        let total = 0;
        names.forEach((name, index) => {
            const amounts = byDay.get(date).filter((row) => nameOf(row) === name)
                .map((row) => amountOf(row, measure));
            const amount = sumMoney(amounts);
            if (amount > 0) {
                const to = sumMoney([total, amount]);
                const series = Math.min(index, SERIES_MAX - 1);
                parts.push({ name, series, amount, from: total, to });
                total = to;
            }
        });
        return { date, total, parts };
    });
}

/** One column per day, as in dayColumns(), of the reels that were done; `days` are the usage's `by_day`. */
export function reelColumns(days, dates) {
    const reels = new Map(days.map((day) => [day.date, day.reels]));
    return dates.map((date) => {
        const total = reels.get(date) ?? 0;
        const parts = total === 0 ? [] : [{ name: 'Reels', series: 0, amount: total, from: 0, to: total }];
        return { date, total, parts };
    });
}

/** An axis up to a round number above `largest`, with marks at round numbers from 0: `{top, marks}`; whole for counts. */
export function axisOf(largest, isCount = false) {
    if (largest <= 0) {
        return { top: 1, marks: [0] };
    }
    const rough = isCount ? Math.max(1, Math.ceil(largest / 4)) : largest / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, ...isCount && power < 10 ? [] : [2.5], 5, 10].find((one) => one * power >= rough) * power;
    const count = Math.ceil(largest / step - 1e-9);
    const marks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
    return { top: marks.at(-1), marks };
}
