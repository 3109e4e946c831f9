// The two hot requests of the API as Fastify and pg serve them: one statement each, prepared by name.
'use strict';

const { createHash } = require('node:crypto');
const { Pool } = require('pg');

const fastify = require('fastify')({ logger: false });
const pool = new Pool({ max: 8 });

const read = {
  name: 'read',
  text: `SELECT job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at, job.error_code, job.error,
                job.result::text AS result
           FROM api_token JOIN account ON account.id = api_token.account_id
           JOIN job ON job.account_id = account.id AND job.id = $2
          WHERE api_token.hash = $1 AND api_token.revoked_at IS NULL AND account.disabled_at IS NULL`,
};
const submit = {
  name: 'submit',
  text: `SELECT submitted.outcome, submitted.job_id, submitted.job_status
           FROM api_token JOIN account ON account.id = api_token.account_id,
                submit_jobs(ARRAY[account.id], ARRAY[$2::text], ARRAY[false], ARRAY[false], ARRAY[NULL::text],
                            ARRAY[NULL::text], ARRAY[NULL::text], ARRAY[0], 30, 100) AS submitted
          WHERE api_token.hash = $1 AND api_token.revoked_at IS NULL AND account.disabled_at IS NULL`,
};

function hashOfToken(request) {
  const authorization = request.headers.authorization ?? '';
  return createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
}

fastify.get('/api/v1/reels/:id', async (request, reply) => {
  const { rows } = await pool.query({ ...read, values: [hashOfToken(request), request.params.id] });
  if (rows.length === 0) return reply.code(404).send({ status: 'error', message: 'not found' });
  const { result, ...job } = rows[0];
  reply.type('application/json');
  return `${JSON.stringify(job).slice(0, -1)},"result":${result}}`;
});

fastify.post('/api/v1/reels/analyze', async (request, reply) => {
  const { rows } = await pool.query({ ...submit, values: [hashOfToken(request), request.body.url] });
  if (rows.length === 0) return reply.code(401).send({ status: 'error', message: 'invalid token' });
  if (rows[0].outcome !== 'admitted') return reply.code(429).send({ status: 'error', message: rows[0].outcome });
  return reply.code(202).send({ id: Number(rows[0].job_id), status: rows[0].job_status });
});

fastify.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
