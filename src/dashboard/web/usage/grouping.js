// Rows of usage, one for a day and a model, as columns of a chart. No DOM here: Node tests this file.

/** Colours of the chart; further models share the last. */
export const SERIES_MAX = 6;

/** The name of a row's model: `gemini-2.5-flash`, or `provider` where it has none. */
export function modelName(row) {
    return row.model || row.provider || 'unknown';
}

/** What a row counts in a measure, `money` or `tokens`; an unknown cost counts as nothing. */
export function amountOf(row, measure) {
    return measure === 'money' ? row.cost_usd ?? 0 : row.total_tokens ?? 0;
}

/** A sum of dollars without the noise of binary fractions. */
export function sumMoney(amounts) {
    return Math.round(amounts.reduce((sum, one) => sum + one, 0) * 1e12) / 1e12;
}

/** The models of the rows with their sums, `[{name, amount}]`, largest first. */
export function modelSums(rows, measure) {
    const sums = new Map();
    for (const row of rows) {
        const name = modelName(row);
        sums.set(name, sumMoney([sums.get(name) ?? 0, amountOf(row, measure)]));
    }
    return [...sums].map(([name, amount]) => ({ name, amount }))
        .sort((one, other) => other.amount - one.amount || one.name.localeCompare(other.name));
}

/**
 * One column a day: `[{date, total, parts: [{name, series, amount, from, to}]}]`, with the parts stacked in
 * the order of `models` (names); `from` and `to` are sums within the column.
 */
export function dayColumns(rows, days, models, measure) {
    const byDay = new Map(days.map((date) => [date, []]));
    for (const row of rows) {
        byDay.get(row.date)?.push(row);
    }
    return days.map((date) => {
        const parts = [];
        let total = 0;
        models.forEach((name, index) => {
            const amounts = byDay.get(date).filter((row) => modelName(row) === name)
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

/** The top of an axis above `largest`, and its marks from 0 on, at round numbers: `{top, marks}`. */
export function axisOf(largest) {
    if (largest <= 0) {
        return { top: 1, marks: [0] };
    }
    const rough = largest / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) * power;
    const count = Math.ceil(largest / step - 1e-9);
    const marks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
    return { top: marks.at(-1), marks };
}
