// Converts an edited account to the changes to request. No DOM, so that Node can test this file.

/** The editable limits, as `[field, label]`. */
export const LIMITS = [
    ['submissions_per_minute', 'Reels a minute'],
    ['concurrent_jobs', 'Concurrent reels'],
    ['requests_per_minute', 'Requests a minute'],
    ['queued_jobs', 'Reels in the queue'],
];

/** Input text by field: the account's own values, empty where the default applies. */
export function draftOf(account) {
    const text = (value) => value === null || value === undefined ? '' : String(value);
    return {
        submissions_per_minute: text(account.submissions_per_minute),
        concurrent_jobs: text(account.concurrent_jobs),
        requests_per_minute: text(account.requests_per_minute),
        queued_jobs: text(account.queued_jobs),
        monthly_budget_usd: text(account.monthly_budget_usd),
        is_admin: account.is_admin,
    };
}

/** Validation errors of a draft, by field. */
export function draftProblems(draft) {
    const problems = {};
    for (const [field] of LIMITS) {
        if (draft[field].trim() !== '' && !/^[1-9]\d{0,6}$/.test(draft[field].trim())) {
            problems[field] = 'Enter a whole number of at least 1, or leave it empty for the default.';
        }
    }
    const budget = draft.monthly_budget_usd.trim();
    if (budget !== '' && !/^\d{1,7}(\.\d{1,6})?$/.test(budget)) {
        problems.monthly_budget_usd = 'Enter an amount such as 5 or 2.50, or leave it empty for no budget.';
    }
    return problems;
}

/** The body of a PATCH: the fields in which a valid draft differs from the account. */
export function changesOf(account, draft) {
    const before = draftOf(account);
    const changes = {};
    for (const field of [...LIMITS.map(([name]) => name), 'monthly_budget_usd']) {
        const text = draft[field].trim();
        if (text !== before[field]) {
            changes[field] = text === '' ? null : Number(text);
        }
    }
    if (draft.is_admin !== before.is_admin) {
        changes.is_admin = draft.is_admin;
    }
    return changes;
}
