import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findInstallation } from '@evaluation/platform/installation';
import { readStandaloneSettings, type ClientSettings } from '@evaluation/platform/settings';
import type { Stops } from '@evaluation/platform/telemetry/stopSignals';
import * as z from 'zod/v4';
import { DemoFailure } from './failure.ts';
import { plain } from './text.ts';

interface Service {
  baseUrl: string;
  apiKey: string;
  /** Address of the desk; null for a service elsewhere, whose desk the demo does not know. */
  deskUrl: string | null;
  /** If the demo started the service, stops it and waits for its end. */
  release(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../../standalone/src/main.ts', import.meta.url));
const LOOK_TIMEOUT_MS = 5000;
const LINES_SHOWN = 15;

/**
 * Returns the service at API_URL, or the one that runs on the data folder, or starts one for the duration of the demo.
 * @throws DemoFailure
 */
export const findOrStartService = async (
  settings: ClientSettings,
  say: (line: string) => void,
  stops: Stops,
): Promise<Service> => {
  const release = async (): Promise<void> => {};
  if (settings.apiUrl !== undefined) {
    if (settings.apiKey === undefined)
      throw new DemoFailure('API_URL is set: set API_KEY too, a key of that service.');
    return { baseUrl: settings.apiUrl.replace(/\/+$/, ''), apiKey: settings.apiKey, deskUrl: null, release };
  }
  const installation = await findInstallation(settings.dataDir);
  if (installation?.base_url != null && (await answers(installation.base_url))) {
    return {
      baseUrl: installation.base_url,
      apiKey: settings.apiKey ?? keyIn(installation),
      deskUrl: installation.desk?.url ?? null,
      release,
    };
  }
  return startOne(settings, say, stops);
};

/** Whether an HTTP server answers; a wrong server is noticed when the key is used. */
const answers = (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/me`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).then(
    () => true,
    () => false,
  );

const keyIn = (installation: { first_key: { api_key: string } | null }): string => {
  if (installation.first_key === null)
    throw new DemoFailure('The service has no first key yet: set API_KEY to one of its keys.');
  return installation.first_key.api_key;
};

/**
 * Runs the same program as `npm start`, in a process group of its own: Ctrl-C then reaches only the demo, which stops
 * the service once and in order.
 */
const startOne = async (
  settings: ClientSettings,
  say: (line: string) => void,
  { interrupted, atOnce }: Stops,
): Promise<Service> => {
  say(`No service runs on ${settings.dataDir}: starting one for this demo (npm start keeps one running).`);
  const child = spawn(process.execPath, ['--initial-old-space-size=128', PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Free ports, unless they are set: the demo needs no known address, and one may be taken.
    env: {
      PORT: '0',
      CORE_PORT: '0',
      DESK_PORT: '0',
      ...settings.environment,
      DATA_DIR: settings.dataDir,
    },
  });
  const release = async (): Promise<void> => {
    if (hasEnded(child)) return;
    say('Stopping the service that the demo started.');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  // SIGQUIT, because the service may take a second SIGTERM for a repetition of the first. It ends within 10 s.
  const hurry = (): void => {
    say('Stopping the service at once.');
    child.kill('SIGQUIT');
  };
  atOnce.addEventListener('abort', hurry, { once: true });
  try {
    const baseUrl = await untilReady(child, say, interrupted);
    const installation = await findInstallation(settings.dataDir);
    if (installation === null) throw new DemoFailure('The service started but wrote no installation file.');
    // The desk of the demo ends with it; `npm start` serves the same exams at the address of the settings.
    const { deskHost, deskPort } = readStandaloneSettings(settings.environment);
    return {
      baseUrl,
      apiKey: settings.apiKey ?? keyIn(installation),
      deskUrl: `http://${deskHost}:${deskPort}`,
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
};

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

/** Reads both pipes until the child ends, because a full pipe would block it. */
const untilReady = (child: ChildProcess, say: (line: string) => void, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const complaints: string[] = [];
    const reportTrouble = newTroubleReporter(say);
    let ready = false;
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!ready) say(`  ${line}`);
        const address = /^ready (\S+)$/.exec(line)?.[1];
        if (address === undefined) return;
        ready = true;
        resolve(address);
      });
    }
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        // JSON lines are the service's log; warnings about the model are shown because they delay the demo.
        if (line.startsWith('{')) reportTrouble(line);
        else if (!ready) complaints.push(`  ${line}`);
      });
    }
    child.once('error', (error) =>
      reject(new DemoFailure(`The service could not be started: ${error.message}`)),
    );
    child.once('close', () => reject(couldNotStart(complaints.slice(-LINES_SHOWN))));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const ModelTrouble = z.object({
  level: z.enum(['warn', 'error']),
  service: z.enum(['worker', 'grader']),
  msg: z.string(),
  reason: z.string().optional(),
  remedy: z.string().optional(),
});

const newTroubleReporter = (say: (line: string) => void): ((line: string) => void) => {
  const reported = new Set<string>();
  return (line) => {
    const trouble = ModelTrouble.safeParse(parsed(line)).data;
    if (trouble === undefined) return;
    const { msg, reason, remedy } = trouble;
    const text = [msg, ...(reason === undefined ? [] : [reason]), ...(remedy === undefined ? [] : [remedy])];
    const shown = `model       ${plain(text.join(': '))}`;
    if (reported.has(shown)) return;
    reported.add(shown);
    say(shown);
  };
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

const couldNotStart = (complaints: readonly string[]): DemoFailure =>
  new DemoFailure(['The service could not be started:', ...complaints].join('\n'));
