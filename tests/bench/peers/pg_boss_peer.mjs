// A queue of pg-boss: fills it, empties it with handlers that do nothing, and prints the duration.
//   pg_boss_peer.mjs throughput JOBS WORKERS | latency JOBS
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// NODE_PATH serves require() alone.
const require = createRequire(import.meta.url);
const { PgBoss } = await import(pathToFileURL(require.resolve('pg-boss')).href);
const { Client } = require('pg');

const [kind, jobsText, workersText] = process.argv.slice(2);
const jobs = Number(jobsText);
// Fetches and completes several jobs at a time, because one at a time is slowest. Does not use pg-boss's own loop,
// which polls at most twice a second.
const together = 10;

const boss = new PgBoss({
  host: process.env.PGHOST, user: process.env.PGUSER, database: process.env.PGDATABASE, max: 10,
  supervise: false, schedule: false,
});
boss.on('error', (why) => console.error(why));
await boss.start();
await boss.createQueue('nothing');

if (kind === 'throughput') {
  for (let first = 0; first < jobs; first += 1000) {
    await boss.insert('nothing', Array.from({ length: Math.min(1000, jobs - first) }, (_, n) => ({ data: { n } })));
  }
  const client = new Client();
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
  const start = performance.now();
  await Promise.all(Array.from({ length: Number(workersText) }, async () => {
    for (;;) {
      const fetched = await boss.fetch('nothing', { batchSize: together });
      if (fetched.length === 0) return;
      await boss.complete('nothing', fetched.map((job) => job.id));
    }
  }));
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ seconds, mebibytes: process.memoryUsage().rss / 2 ** 20 }));
} else {
  const waits = [];
  let begun = 0;
  let wake = () => {};
  await boss.work('nothing', { pollingIntervalSeconds: 0.5 }, async () => {
    waits.push(performance.now() - begun);
    wake();
  });
  for (let number = 0; number < jobs; number += 1) {
    const done = new Promise((resolve) => { wake = resolve; });
    begun = performance.now();
    await boss.send('nothing', { number });
    await done;
  }
  console.log(JSON.stringify({ waits }));
}
await boss.stop({ graceful: false });
process.exit(0);
