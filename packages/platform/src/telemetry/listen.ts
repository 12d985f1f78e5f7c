import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

interface ListenSettings {
  host: string;
  port: string;
}

/** The server cannot listen on the configured host and port; the message names the setting to change. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
  readonly isTaken: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.isTaken = codeOf(cause) === 'EADDRINUSE';
  }
}

type Place = { host: string; port: number };

/** Ports of this process that `holdPort` has opened and no server has taken over yet, by `keyOf`. */
const held = new Map<string, Server>();
const keyOf = ({ host, port }: Place): string => `${host} ${port}`;

/**
 * Opens a port for a server that starts later. `listen` takes it over without a moment in which another process could
 * open it. Connections that come before are closed at once. The system chooses port 0 later, so it is not held.
 *
 * @returns closes the port unless a server has taken it over
 * @throws CannotListen
 */
export const holdPort = async (at: Place, settings: ListenSettings): Promise<() => Promise<void>> => {
  if (at.port === 0) return async () => {};
  const server = createServer((early) => early.destroy());
  await open(server, at, settings);
  held.set(keyOf(at), server);
  return async () => {
    if (held.get(keyOf(at)) !== server) return;
    held.delete(keyOf(at));
    await once(server.close(), 'close');
  };
};

/** @returns the port, chosen by the system when 0 was requested @throws CannotListen */
export const listen = (server: Server, at: Place, settings: ListenSettings): Promise<number> => {
  const holder = held.get(keyOf(at));
  held.delete(keyOf(at));
  return open(server, at, settings, holder);
};

const open = async (
  server: Server,
  at: Place,
  settings: ListenSettings,
  holder?: Server,
): Promise<number> => {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const listening = () => {
        server.off('error', reject);
        resolve();
      };
      if (holder === undefined) server.listen(at.port, at.host, listening);
      else server.listen(holder, listening);
    });
  } catch (error) {
    throw new CannotListen(reasonOf(error, at, settings), error);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
};

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const reasonOf = (error: unknown, at: Place, settings: ListenSettings): string => {
  const place = `${settings.port} ${at.port} on ${at.host}`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `${place} is taken by another process; set ${settings.port} to a free one`;
    case 'EACCES':
      return `${place} is not open to this account; set ${settings.port} to one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${settings.host} ${at.host} is no address of this machine; set ${settings.host} to one`;
    default:
      return `${place} cannot be listened on: ${error instanceof Error ? error.message : String(error)}`;
  }
};
