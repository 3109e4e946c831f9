// The daemons under test.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const STARTER = fileURLToPath(new URL('daemons.py', import.meta.url));
const SUPPORT = ['../service', '../support'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

/** Starts the daemons; `{working, idle, stop}`, where a daemon is `{origin, token}`. `stop` resolves when all have ended. */
export async function startDaemons() {
    const process = spawn('python3', ['-B', STARTER], {
        env: { ...globalThis.process.env, PYTHONPATH: SUPPORT.join(':') },
        stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => {
        process.on('exit', resolve);
    });
    const firstLine = new Promise((resolve) => {
        createInterface({ input: process.stdout }).once('line', resolve);
    });
    const line = await Promise.race([firstLine, ended.then(() => null)]);
    if (line === null) {
        throw new Error('The daemons did not start; their starter has printed the reason.');
    }
    return {
        ...JSON.parse(line),
        stop: async () => {
            process.stdin.end();
            await ended;
        },
    };
}
