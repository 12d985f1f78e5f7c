import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { StandaloneSettings } from '@evaluation/platform/settings';
import { listen } from '@evaluation/platform/telemetry';

/**
 * Fails the start early if one of its ports is taken. All ports are opened at once, so two settings with the same port
 * are found too. Another process may still take a port between this check and the real server; that server then fails
 * with the same message.
 *
 * @throws CannotListen
 */
export const assertPortsAreFree = async (settings: StandaloneSettings): Promise<void> => {
  const held: Server[] = [];
  const hold = async (at: { host: string; port: number }, names: { host: string; port: string }) => {
    const server = createServer();
    await listen(server, at, names);
    held.push(server);
  };
  try {
    await hold({ host: settings.host, port: settings.port }, { host: 'HOST', port: 'PORT' });
    await hold(
      { host: settings.coreHost, port: settings.corePort },
      { host: 'CORE_HOST', port: 'CORE_PORT' },
    );
    await hold(
      { host: settings.deskHost, port: settings.deskPort },
      { host: 'DESK_HOST', port: 'DESK_PORT' },
    );
    if (settings.monitor.listen !== null)
      await hold(settings.monitor.listen, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  } finally {
    await Promise.all(held.map((server) => once(server.close(), 'close')));
  }
};
