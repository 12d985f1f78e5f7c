/**
 * Child process of tests. Arguments: `postgres` or `nats`, and the data folder. Starts the service, prints progress
 * lines and then `ready <json>`, and runs until killed.
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
