import { stopServersAtOnce } from '@evaluation/embedded';
import { readStandaloneSettings } from '@evaluation/settings';
import { observe, runUntilSignal } from '@evaluation/telemetry';
import { startStandalone } from './start.ts';

/** `npm start`: starts the whole service and prints `ready <address>` as its last line. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const start = async () => {
  const settings = readStandaloneSettings();
  const service = await observe('standalone', settings.monitor, () => startStandalone(settings, say));
  say(`an API key for you is in ${settings.dataDir}/service.json`);
  return { name: service.baseUrl, close: service.close };
};

await runUntilSignal(start, { say, stopAtOnce: stopServersAtOnce });
