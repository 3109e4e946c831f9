// The daemon under test, and users without a browser.
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const STARTER = fileURLToPath(new URL('dashboard_daemon.py', import.meta.url));
const SUPPORT = ['../service', '../support'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

export const PASSWORD = 'a horse in the kitchen';
export const SAMPLE = 'https://www.instagram.com/reel/reelsd-sample/';
export const RATE_LIMITED = 'https://www.instagram.com/reel/reelsd-rate-limited/';
export const UNAVAILABLE = 'https://www.instagram.com/reel/reelsd-unavailable/';

/**
 * Starts the daemon; `{origin, setUpLink, hostileLink, hostileText, telegram, model, hold, release, stop}`. `stop` resolves
 * when all have ended. With the argument `without-model`, its settings have no model. The local analyzer returns recorded
 * analyses, which may end before a page shows that they have begun, unless `hold()` keeps them in progress until `release()`.
 */
export async function startDaemon(...args) {
    const process = spawn('python3', ['-B', STARTER, ...args], {
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
        throw new Error('The daemon did not start; its starter has printed the reason.');
    }
    const settings = JSON.parse(line);
    return {
        origin: settings.origin,
        setUpLink: settings.set_up_link,
        hostileLink: settings.hostile_link,
        hostileText: settings.hostile_text,
        telegram: settings.telegram,
        model: settings.model,
        hold: () => writeFileSync(settings.hold, ''),
        release: () => rmSync(settings.hold, { force: true }),
        stop: async () => {
            process.stdin.end();
            await ended;
        },
    };
}

/** A signed-in user that sends the requests of a page. */
export class Person {
    constructor(daemon, email) {
        this.daemon = daemon;
        this.email = email;
        this.cookie = null;
        this.csrfToken = null;
    }

    /** Resolves to the response's JSON, or null without a body; throws unless it succeeded. */
    async request(method, path, body) {
        const headers = { 'Content-Type': 'application/json' };
        if (this.cookie) {
            headers.Cookie = this.cookie;
            headers['X-CSRF-Token'] = this.csrfToken;
        }
        const answer = await fetch(`${this.daemon.origin}/dashboard${path}`,
            { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
        const text = await answer.text();
        if (!answer.ok) {
            throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        }
        const cookie = answer.headers.get('Set-Cookie');
        if (cookie) {
            this.cookie = cookie.split(';')[0];
        }
        return text === '' ? null : JSON.parse(text);
    }

    async accept(link) {
        const token = new URL(link).hash.slice(1);
        const { purpose } = await this.request('POST', '/invitation', { token });
        const body = purpose === 'first_administrator'
            ? { token, email: this.email, password: PASSWORD } : { token, password: PASSWORD };
        const session = await this.request('POST', '/invitation/accept', body);
        this.csrfToken = session.csrf_token;
        return this;
    }

    /** Submits a link; resolves to the id. */
    async submit(url) {
        return (await this.request('POST', '/api/reels/analyze', { url })).id;
    }

    /** Submits a link; resolves to the job once it is done or has failed. */
    async finished(url) {
        const id = await this.submit(url);
        for (;;) {
            const job = await this.request('GET', `/api/reels/${id}?wait=20`);
            if (job.status === 'done' || job.status === 'error') {
                return job;
            }
            await new Promise((resolve) => { setTimeout(resolve, 100); });
        }
    }
}

/** The first administrator of a daemon, signed in. */
export function firstAdministrator(daemon) {
    return new Person(daemon, 'admin@example.test').accept(daemon.setUpLink);
}

/** A new account, signed in. */
export async function invited(administrator, email) {
    const { link } = await administrator.request('POST', '/api/admin/accounts', { email });
    return new Person(administrator.daemon, email).accept(link);
}
