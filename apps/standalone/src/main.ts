import { buildPage } from '@evaluation/desk/build';
import { stopServersAtOnce } from '@evaluation/embedded';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { observe, runUntilSignal } from '@evaluation/platform/telemetry';
import { startStandalone } from './start.ts';

/** `npm start`: starts the whole service and prints `ready <address>` as its last line. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const start = async () => {
  const settings = readStandaloneSettings();
  // The page is built while the services start. A failed build is reported after the start.
  const building = buildPage(say).catch((error: unknown) => error);
  const service = await observe('standalone', settings.monitor, () => startStandalone(settings, say));
  const problem = await building;
  if (problem instanceof Error) say(`the desk's page was not built: ${problem.message}`);
  say(`the desk for teachers is at ${service.deskUrl}`);
  say(`its first e-mail and password, and an API key, are in ${settings.dataDir}/service.json`);
  return { name: service.baseUrl, close: service.close };
};

await runUntilSignal(start, { say, stopAtOnce: stopServersAtOnce });
