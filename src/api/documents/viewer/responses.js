// Examples of errors as `curl -i` shows them: what a program branches on is above the body.
const REASONS = {
    400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed',
    408: 'Request Timeout', 412: 'Precondition Failed', 413: 'Payload Too Large', 415: 'Unsupported Media Type',
    416: 'Range Not Satisfiable', 421: 'Misdirected Request', 429: 'Too Many Requests',
    431: 'Request Header Fields Too Large',
    500: 'Internal Server Error', 503: 'Service Unavailable', 505: 'HTTP Version Not Supported',
};

/** A part of the viewer's document, behind a reference as well. */
function resolved(node) {
    return node?.['$ref-value'] ?? node;
}

function textOf(status, code, headers, body) {
    // The viewer turns `example` into `examples`.
    const [{ value: wait } = {}] = Object.values(resolved(headers?.['Retry-After'])?.examples ?? {});
    return [`HTTP/1.1 ${status} ${REASONS[status]}`, `X-Error-Code: ${code}`, ...wait ? [`Retry-After: ${wait}`] : [],
        'Content-Type: application/json', '', JSON.stringify(body, null, 2)].join('\n');
}

/** Puts the status and the headers above the body in each example of an error of an operation. */
export function showErrorCodes(operation) {
    for (const [status, reference] of Object.entries(operation.responses)) {
        const response = resolved(reference);
        const media = status >= '400' && response.content?.['application/json'];
        for (const part of media ? [media, ...Object.values(media.examples ?? {}).map(resolved)] : []) {
            const member = part === media ? 'example' : 'value';
            if (part['x-error-code'] && typeof part[member] === 'object') {
                part[member] = textOf(status, part['x-error-code'], response.headers, part[member]);
            }
        }
    }
}
