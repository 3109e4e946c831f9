// A webhook receiver that records requests for assertions.
import { createServer } from 'node:http';

/** Starts one; `{url, requests, answerWith, stop}`. `answerWith(status, text)` applies to all later requests. */
export async function startReceiver() {
    const requests = [];
    let status = 200;
    let text = '';
    const server = createServer((request, answer) => {
        const pieces = [];
        request.on('data', (piece) => pieces.push(piece));
        request.on('end', () => {
            requests.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
            answer.writeHead(status).end(text);
        });
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    return {
        url: `http://127.0.0.1:${server.address().port}/hook`,
        requests,
        answerWith: (next, body = '') => {
            status = next;
            text = body;
        },
        stop: () => new Promise((resolve) => { server.close(resolve); }),
    };
}
