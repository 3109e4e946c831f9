// Options of a submission. No DOM, so that Node can test this file.

/** Fields of the form without a choice; `extract` is a preset's name, OWN_SCHEMA or empty. */
export const NO_OPTIONS = { extract: '', schema: '', language: '', instructions: '', analyzer: '' };

/** The choice of `extract` that takes the schema from the field. */
export const OWN_SCHEMA = 'own';

/** Why the schema of the fields is not JSON; null if it is, or is not used. */
export function schemaProblem({ extract, schema }) {
    if (extract !== OWN_SCHEMA) {
        return null;
    }
    if (schema.trim() === '') {
        return 'Paste a JSON Schema, or choose a preset.';
    }
    try {
        const parsed = JSON.parse(schema);
        return parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed) ? null : 'The schema must be a JSON object.';
    } catch (why) {
        return `The schema is not JSON: ${why.message}`;
    }
}

/** The members of a submission for the fields, whose schema has no problem; only those with a value. */
export function optionMembers({ extract, schema, language, instructions, analyzer }) {
    return {
        ...extract !== '' && { extract: extract === OWN_SCHEMA ? JSON.parse(schema) : extract },
        ...language.trim() !== '' && { language: language.trim() },
        ...instructions.trim() !== '' && { instructions: instructions.trim() },
        ...analyzer !== '' && { analyzer },
    };
}

/** Whether the server has an analyzer that is a model. */
export function hasModel(analyzers) {
    return analyzers.some((name) => name !== 'local');
}

/** The fields that the server's analyzers can follow: without a model none, and no analyzer that has been removed. */
export function supportedFields(fields, analyzers) {
    if (!hasModel(analyzers)) {
        return NO_OPTIONS;
    }
    return analyzers.includes(fields.analyzer) ? fields : { ...fields, analyzer: '' };
}

/** The option that an error message of the server begins with, or null. */
export function optionOfMessage(message) {
    return /^(extract|language|instructions|analyzer)\b/i.exec(message ?? '')?.[1].toLowerCase() ?? null;
}

/** Whether the server refused an option of the submission. */
export function isOptionError(error) {
    return error?.status === 400 && optionOfMessage(error.message) !== null;
}

/** The fields for the options of an earlier submission. */
export function fieldsOfOptions(options = {}) {
    const { extract, language = '', instructions = '', analyzer = '' } = options;
    const isOwn = extract !== null && typeof extract === 'object';
    return {
        extract: isOwn ? OWN_SCHEMA : extract ?? '', schema: isOwn ? JSON.stringify(extract, null, 2) : '',
        language, instructions, analyzer,
    };
}
