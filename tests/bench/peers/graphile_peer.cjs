// A queue of graphile-worker: fills it, empties it with tasks that do nothing, and says how long that took.
//   graphile_peer.cjs throughput JOBS WORKERS | latency JOBS
'use strict';

const { run, makeWorkerUtils, Logger } = require('graphile-worker');
const { Pool } = require('pg');

const logger = new Logger(() => () => {});

async function main() {
  const [kind, jobsText, workersText] = process.argv.slice(2);
  const jobs = Number(jobsText);
  const pgPool = new Pool({ max: 10 });
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  let ended = 0;
  const begun = new Map();
  const waits = [];
  let wake = () => {};
  const taskList = {
    nothing: async (payload) => {
      ended += 1;
      if (begun.has(payload.number)) waits.push(performance.now() - begun.get(payload.number));
      wake();
    },
  };
  if (kind === 'throughput') {
    await pgPool.query(
      `SELECT graphile_worker.add_job('nothing', json_build_object('number', n)) FROM generate_series(1, $1) AS n`, [jobs]);
    await pgPool.query('VACUUM ANALYZE');
    const start = performance.now();
    const runner = await run({ pgPool, logger, taskList, concurrency: Number(workersText), noHandleSignals: true });
    while (ended < jobs) await new Promise((resolve) => { wake = resolve; });
    // The last ones' rows.
    while ((await pgPool.query('SELECT count(*)::int AS many FROM graphile_worker.jobs')).rows[0].many > 0);
    const seconds = (performance.now() - start) / 1000;
    console.log(JSON.stringify({ seconds, mebibytes: process.memoryUsage().rss / 2 ** 20 }));
    await runner.stop();
  } else {
    const runner = await run({ pgPool, logger, taskList, concurrency: 4, noHandleSignals: true });
    for (let number = 0; number < jobs; number += 1) {
      begun.set(number, performance.now());
      const done = new Promise((resolve) => { wake = resolve; });
      await utils.addJob('nothing', { number });
      await done;
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
    console.log(JSON.stringify({ waits }));
    await runner.stop();
  }
  await utils.release();
  await pgPool.end();
}

main().catch((why) => {
  console.error(why);
  process.exit(1);
});
