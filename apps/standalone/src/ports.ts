import type { Installation } from '@evaluation/platform/installation';
import type { StandaloneSettings } from '@evaluation/platform/settings';
import { CannotListen, holdPort } from '@evaluation/platform/telemetry';
import { isThisService } from './neighbours.ts';

interface Listener {
  at: { host: string; port: number };
  names: { host: string; port: string };
}

const listenersOf = (settings: StandaloneSettings): Listener[] => [
  { at: { host: settings.host, port: settings.port }, names: { host: 'HOST', port: 'PORT' } },
  {
    at: { host: settings.coreHost, port: settings.corePort },
    names: { host: 'CORE_HOST', port: 'CORE_PORT' },
  },
  {
    at: { host: settings.deskHost, port: settings.deskPort },
    names: { host: 'DESK_HOST', port: 'DESK_PORT' },
  },
  ...(settings.monitor.listen === null
    ? []
    : [{ at: settings.monitor.listen, names: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }]),
];

/**
 * Holds all ports of the start until their servers take them over. All are tried before the start fails, so one
 * message names every taken port, what runs there, and free ones.
 *
 * @param installation of the data folder; null before its first start
 * @returns closes the ports that no server has taken over
 * @throws CannotListen
 */
export const holdPorts = async (
  settings: StandaloneSettings,
  installation: Installation | null,
): Promise<{ close(): Promise<void> }> => {
  const releases: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const release of releases.splice(0)) await release();
  };
  const taken: { listener: Listener; error: CannotListen }[] = [];
  try {
    const listeners = listenersOf(settings);
    for (const listener of listeners) {
      try {
        releases.push(await holdPort(listener.at, listener.names));
      } catch (error) {
        if (!(error instanceof CannotListen && error.isTaken)) throw error;
        taken.push({ listener, error });
      }
    }
    if (taken.length === 0) return { close };
    throw new Error(await messageFor(listeners, taken, installation));
  } catch (error) {
    await close();
    throw error;
  }
};

const messageFor = async (
  listeners: readonly Listener[],
  taken: readonly { listener: Listener; error: CannotListen }[],
  installation: Installation | null,
): Promise<string> => {
  const lines: string[] = [];
  const free = new Map<string, number>();
  let next = Math.max(...listeners.map(({ at }) => at.port)) + 1;
  let isRunningHere = false;
  for (const { listener, error } of taken) {
    const { at, names } = listener;
    const port = await freePortFrom(next, listener);
    if (port !== null) {
      free.set(names.port, port);
      next = port + 1;
    }
    const twin = listeners.find(
      (other) => other !== listener && other.at.port === at.port && other.at.host === at.host,
    );
    if (twin !== undefined) {
      lines.push(`${names.port} ${at.port} is also the port of ${twin.names.port}; each needs its own`);
    } else if (await isThisService(at)) {
      isRunningHere ||= hasPort(installation, at.port);
      lines.push(`${names.port} ${at.port} on ${at.host} is taken by this service, which was started before`);
    } else lines.push(error.message);
  }
  if (isRunningHere && installation?.base_url != null)
    lines.push(
      `it is probably the service of this data folder, whose address is ${installation.base_url}; use it, or stop it first`,
    );
  if (free.size === taken.length) {
    const settings = [...free].map(([name, port]) => `${name}=${port}`);
    // Two services cannot share a data folder.
    if (isRunningHere) settings.unshift('DATA_DIR=.data-2');
    lines.push(`${isRunningHere ? 'to start a second one' : 'free ports'}: ${settings.join(' ')} npm start`);
  }
  return lines.join('\n');
};

const hasPort = (installation: Installation | null, port: number): boolean =>
  [installation?.base_url, installation?.core_url, installation?.desk?.url].some(
    (url) => url != null && URL.canParse(url) && new URL(url).port === String(port),
  );

const PORTS_TRIED = 50;

const freePortFrom = async (first: number, { at, names }: Listener): Promise<number | null> => {
  for (let port = first; port < Math.min(first + PORTS_TRIED, 65_536); port++) {
    try {
      const release = await holdPort({ host: at.host, port }, names);
      await release();
      return port;
    } catch {
      // Taken too.
    }
  }
  return null;
};
