import { createServer } from 'node:http';
import type { CoreOverHttp } from '@evaluation/core-client';
import type { DeskSettings } from '@evaluation/settings';
import { createLogger, drainable, listen, type Observed } from '@evaluation/telemetry';
import { createApp } from './app.ts';

export interface Desk extends Observed {
  /** Address in the browser, without a slash at its end. */
  url: string;
}

export const startDesk = async (settings: DeskSettings, core: CoreOverHttp): Promise<Desk> => {
  const log = createLogger({ service: 'desk', level: settings.logLevel });
  const server = createServer(createApp(core, settings, log));
  const { drain } = drainable(server);
  // Longer than the idle timeout of a proxy: the proxy must close first, or a request it sends at that moment is lost.
  server.keepAliveTimeout = 75_000;
  const port = await listen(server, settings.listen, { host: 'DESK_HOST', port: 'DESK_PORT' });
  return {
    url: settings.url?.origin ?? `http://${settings.listen.host}:${port}`,
    dependencies: { core: () => core.ping() },
    close: () => drain(settings.lingerSeconds * 1000),
  };
};
