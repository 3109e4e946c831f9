// Tests `reels mcp` with the protocol's official client: negotiation, listing, validation, cancellation, errors.
// The client validates each structured result against the tool's output schema.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRequire } from 'node:module';
import path from 'node:path';
import { startDaemons } from './daemons.js';

// The packages are in the build folder of NODE_PATH, which only require() searches, not import.
const require = createRequire(import.meta.url);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { ErrorCode, McpError } = require('@modelcontextprotocol/sdk/types.js');
const { AjvJsonSchemaValidator } = require('@modelcontextprotocol/sdk/validation/ajv');

const REELS = path.join(process.env.REELSD_BIN_DIR, 'reels');
const SAMPLE = 'https://www.instagram.com/reel/reelsd-sample/';
const UNAVAILABLE = 'https://www.instagram.com/reel/reelsd-unavailable/';
const PATIENCE = { timeout: 300_000 }; // A sanitized daemon on a busy machine is slow.

let daemons;

/** An initialized client; `t` closes it. */
async function connect(t, daemon, env = {}) {
    const transport = new StdioClientTransport({
        command: REELS,
        args: ['mcp'],
        env: { REELS_SERVER: daemon.origin, REELS_TOKEN: daemon.token, HOME: '/nonexistent', ...env },
        stderr: 'pipe',
    });
    const client = new Client({ name: 'sdk-test', version: '1.0.0' });
    client.onerror = (error) => assert.fail(error);
    t.after(() => client.close());
    await client.connect(transport);
    return client;
}

const call = (client, name, args, options = PATIENCE) =>
    client.callTool({ name, arguments: args }, undefined, options);

/** The structured content of a successful call, which the text repeats. */
function succeeded(result) {
    assert.equal(result.isError, false, JSON.stringify(result));
    assert.equal(result.content[0].type, 'text');
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
}

function failed(result) {
    assert.equal(result.isError, true, JSON.stringify(result));
    return result.content[0].text;
}

before(async () => {
    daemons = await startDaemons();
});

after(() => daemons.stop());

describe('a client of the SDK', () => {
    it('negotiates a version and lists the tools', async (t) => {
        const client = await connect(t, daemons.idle);
        assert.equal(client.getServerVersion().name, 'reels');
        assert.deepEqual(client.getServerCapabilities(), { tools: {} });
        assert.match(client.getInstructions(), /analyze_reel/);
        assert.deepEqual(await client.ping(), {});
        const { tools } = await client.listTools();
        assert.deepEqual(
            tools.map((tool) => tool.name),
            ['analyze_reel', 'get_reel', 'search_reels', 'ask_reels', 'list_reels', 'usage'],
        );
        for (const tool of tools) {
            assert.ok(tool.title && tool.description && tool.outputSchema, tool.name);
            assert.equal(tool.annotations.readOnlyHint, tool.name !== 'analyze_reel');
        }
    });

    it('analyses, reads, finds, lists and counts', async (t) => {
        const client = await connect(t, daemons.working);
        const { tools } = await client.listTools(); // The client validates each result from now on.
        const reports = [];
        const job = succeeded(
            await call(
                client,
                'analyze_reel',
                { url: SAMPLE, wait_seconds: 290 },
                { ...PATIENCE, onprogress: (progress) => reports.push(progress) },
            ),
        );
        assert.equal(job.status, 'done');
        assert.ok(job.result.audio.transcript.length > 0);
        assert.ok(reports.length > 0);
        assert.match(reports[0].message, /^reel \d+: (pending|processing), \d+ s$/);
        assert.ok(reports.every((one, at) => at === 0 || one.progress > reports[at - 1].progress));

        // The schema is strict: an invalid result is rejected.
        const { outputSchema } = tools.find((tool) => tool.name === 'get_reel');
        const validate = new AjvJsonSchemaValidator().getValidator(outputSchema);
        assert.equal(validate(job).valid, true);
        const { transcript, ...audio } = job.result.audio;
        assert.equal(validate({ ...job, result: { ...job.result, audio } }).valid, false, transcript);

        assert.deepEqual(succeeded(await call(client, 'get_reel', { id: job.id })), job);
        const { hits } = succeeded(await call(client, 'search_reels', { query: job.result.content.summary }));
        assert.equal(hits[0].id, job.id);
        const { reels } = succeeded(await call(client, 'list_reels', { status: 'done', limit: 1 }));
        assert.equal(reels[0].id, job.id);
        const usage = succeeded(await call(client, 'usage', {}));
        assert.equal(typeof usage.total_calls, 'number');
    });

    it('reports why a reel failed', async (t) => {
        const client = await connect(t, daemons.working);
        await client.listTools();
        const result = await call(client, 'analyze_reel', { url: UNAVAILABLE, wait_seconds: 290 });
        assert.match(failed(result), /Video is not available.*\(unavailable\)/);
        assert.equal(result.structuredContent.status, 'error');
    });

    it('reports invalid arguments', async (t) => {
        const client = await connect(t, daemons.idle);
        assert.equal(failed(await call(client, 'analyze_reel', {})), 'url or path is required');
        assert.match(failed(await call(client, 'get_reel', { id: 'x' })), /^id must be/);
        assert.match(failed(await call(client, 'get_reel', { id: 999_999 })), /not found \(HTTP 404\)/);
        assert.match(failed(await call(client, 'analyze_reel', { url: 'https://tiktok.com/x' })), /tiktok\.com/);
        await assert.rejects(
            call(client, 'eat_reel', {}),
            (error) => error instanceof McpError && error.code === ErrorCode.InvalidParams,
        );
        await assert.rejects(
            client.listResources(),
            (error) => error instanceof McpError && error.code === ErrorCode.MethodNotFound,
        );
    });

    it('cancels a call and continues', async (t) => {
        const client = await connect(t, daemons.idle);
        // Progress that was in transit when the call was cancelled is ignored.
        client.onerror = (error) => assert.match(error.message, /progress notification for an unknown token/);
        const cancelled = new AbortController();
        const waiting = call(
            client,
            'analyze_reel',
            { url: SAMPLE, wait_seconds: 600 },
            { ...PATIENCE, signal: cancelled.signal, onprogress: () => cancelled.abort('enough') },
        );
        await assert.rejects(waiting, /enough/);
        const { reels } = succeeded(await call(client, 'list_reels', { limit: 1 }));
        assert.equal(reels[0].status, 'pending');
        const job = succeeded(await call(client, 'get_reel', { id: reels[0].id, wait_seconds: 1 }));
        assert.match(job.hint, new RegExp(`id ${job.id} `));
    });

    it('times out a call', async (t) => {
        const client = await connect(t, daemons.idle);
        await assert.rejects(
            call(client, 'analyze_reel', { url: SAMPLE, wait_seconds: 600 }, { timeout: 500 }),
            (error) => error instanceof McpError && error.code === ErrorCode.RequestTimeout,
        );
        assert.deepEqual(await client.ping(), {});
    });

    it('runs many calls at the same time', async (t) => {
        const client = await connect(t, daemons.idle);
        const { id } = succeeded(await call(client, 'analyze_reel', { url: SAMPLE, wait_seconds: 0 }));
        const waits = Array.from({ length: 10 }, () => call(client, 'get_reel', { id, wait_seconds: 2 }));
        assert.deepEqual(await client.ping(), {});
        for (const job of (await Promise.all(waits)).map(succeeded)) {
            assert.equal(job.id, id);
        }
    });

    it('reports an invalid token', async (t) => {
        const client = await connect(t, daemons.idle, { REELS_TOKEN: `rls_${'a'.repeat(40)}` });
        assert.match(failed(await call(client, 'usage', {})), /invalid API token \(HTTP 401, token_invalid\).*REELS_TOKEN/);
    });
});
