import type { Server } from 'node:net';

interface ListenSettings {
  host: string;
  port: string;
}

/** The server cannot listen on the configured host and port; the message names the setting to change. */
class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** @returns the port, chosen by the system when 0 was requested @throws CannotListen */
export const listen = async (
  server: Server,
  at: { host: string; port: number },
  settings: ListenSettings,
): Promise<number> => {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at.port, at.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw new CannotListen(reasonOf(error, at, settings), { cause: error });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
};

const reasonOf = (error: unknown, at: { host: string; port: number }, settings: ListenSettings): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `${settings.port} ${at.port} on ${at.host}`;
  switch (code) {
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
