// Sends many links in parts. No DOM, so that Node can test this file.

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
