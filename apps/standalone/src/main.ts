import { readStandaloneSettings } from '@evaluation/settings';
import { startStandalone } from './start.ts';

/** `npm start`: brings the whole service up and prints `ready <address>` as its last line. */

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

let stopping = false;
let stop: () => Promise<void> = async () => {};

const onSignal = (): void => {
  // A second signal is somebody who does not want to wait: what is in hand is delivered again at the next start.
  if (stopping) process.exit(1);
  stopping = true;
  say('stopping: finishing what is in hand (again to stop at once)');
  void stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
};
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

try {
  const settings = readStandaloneSettings();
  const service = await startStandalone(settings, say);
  stop = service.close;
  say(`an API key for you is in ${settings.dataDir}/service.json`);
  say(`ready ${service.baseUrl}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
