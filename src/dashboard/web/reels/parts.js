// Sends many links in parts, and many files. No DOM, so that Node can test this file.
import { isOptionError } from './option_members.js';

/**
 * Sends parts with `send`, one after another; `send` resolves to an answer for each member of its part. After each, `note`
 * receives them as `[[member, answer]]`. Resolves to the error of the first part that failed, or to null. A part that is
 * refused (400) does not affect others; after any other failure, no further part is sent.
 */
export async function sendParts(parts, send, note) {
    let failure = null;
    for (const part of parts) {
        try {
            const answers = await send(part);
            note(answers.map((answer, index) => [part[index], answer]));
        } catch (why) {
            failure ??= why;
            if (why.status !== 400) {
                return failure;
            }
        }
    }
    return failure;
}

/** Whether a request was refused because of its own content, so that others may succeed. */
function isOwnFault(error) {
    return [400, 413, 415].includes(error.status) && !isOptionError(error);
}

/**
 * Sends files with `send`, one after another; `send` resolves to a reel. Resolves to `{outcomes, failure}`: `{name, reel}` or
 * `{name, error}` of each file, and the error after which no further one was sent, or null. A file that is refused does not
 * affect others.
 */
export async function sendFiles(files, send) {
    const outcomes = [];
    let failure = null;
    for (const file of files) {
        try {
            outcomes.push(failure ? { name: file.name, error: 'Not sent.' } : { name: file.name, reel: await send(file) });
        } catch (why) {
            outcomes.push({ name: file.name, error: why.message });
            failure = isOwnFault(why) ? null : why;
        }
    }
    return { outcomes, failure };
}
