// The options of a submission in words. No DOM, so that Node can test this file.
import { labelOf } from '../extract/labels.js';

/** The options with a value as `[label, words]`; `options` are those of a job, or undefined. */
export function optionWords(options) {
    const { analyzer, language, extract, instructions } = options ?? {};
    const words = [
        ['Analyzer', analyzer],
        ['Language', language],
        ['Extract', typeof extract === 'string' ? labelOf(extract) : extract && 'by an own schema'],
        ['Instructions', instructions],
    ];
    return words.filter(([, text]) => text);
}

/** The options in one line after a time; empty without options. */
export function optionText(options) {
    return optionWords(options).map(([, words]) => `, ${words}`).join('');
}
