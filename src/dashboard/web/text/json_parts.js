// Splits JSON into parts to colour. No DOM, so that Node can test this file.

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** The consecutive parts of a JSON text, `[{text, kind}]`; `kind` is `name`, `string`, `value`, or null between them. */
export function jsonParts(json) {
    const parts = [];
    let end = 0;
    for (const found of json.matchAll(TOKEN)) {
        const [all, string, colon] = found;
        parts.push({ text: json.slice(end, found.index), kind: null });
        parts.push({ text: string ?? all, kind: string === undefined ? 'value' : colon ? 'name' : 'string' });
        end = found.index + (string ?? all).length;
    }
    parts.push({ text: json.slice(end), kind: null });
    return parts.filter(({ text }) => text !== '');
}
