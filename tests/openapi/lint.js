// Lints the document named first by the rules named second; prints what is wrong and exits 1 if
// anything is.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const [document, rules] = process.argv.slice(2);
if (!rules) {
    console.error('usage: lint.js DOCUMENT RULES');
    process.exit(2);
}
const config = await loadConfig({ configPath: rules });
const problems = await lint({ ref: document, config });
const totals = getTotals(problems);
if (problems.length > 0) {
    formatProblems(problems, { format: 'codeframe', totals, version: '1' });
}
console.log(`${document}: ${totals.errors} errors, ${totals.warnings} warnings`);
process.exit(problems.length > 0 ? 1 : 0);
