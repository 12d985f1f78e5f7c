/**
 * A process of its own for tests that kill it: starts one service, prints progress lines and then `ready <json>`,
 * and lives until it is killed. Arguments: `postgres` or `nats`, and the data folder.
 */
import { startNats, startPostgres } from '../src/index.ts';

const [service, dataDir = ''] = process.argv.slice(2);
const onProgress = (line: string) => console.log(line);
process.on('SIGINT', () => console.log('interrupted'));
const started =
  service === 'postgres'
    ? await startPostgres({ dataDir, durable: false, onProgress })
    : await startNats({ dataDir, onProgress });
console.log(`ready ${JSON.stringify({ url: started.url })}`);
setInterval(() => {}, 60_000);
