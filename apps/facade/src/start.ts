import { createServer } from 'node:http';
import type { CoreAccess } from '@evaluation/core-client';
import { openLanes } from '@evaluation/lanes';
import type { FacadeSettings } from '@evaluation/platform/settings';
import { createLogger, drainable, listen, type Observed } from '@evaluation/platform/telemetry';
import { createApp } from './app.ts';
import { openRateLimits } from './rateLimits/rateLimits.ts';

interface Facade extends Observed {
  /** Ends with /v1. */
  baseUrl: string;
}

export const startFacade = async (settings: FacadeSettings, core: CoreAccess): Promise<Facade> => {
  const log = createLogger({ service: 'facade', level: settings.logLevel });
  const lanes = openLanes({
    ...settings.lanes,
    name: 'facade',
    onProgress: (event, details) => log.info(details, event),
  });
  const server = createServer(createApp(core, settings, log, lanes, openRateLimits(lanes)));
  const { drain } = drainable(server);
  // Longer than the idle timeout of a proxy: the proxy must close first, or a request it sends at that moment is lost.
  server.keepAliveTimeout = 75_000;
  let port: number;
  try {
    port = await listen(server, settings.listen, { host: 'HOST', port: 'PORT' });
  } catch (error) {
    await lanes.close();
    throw error;
  }
  return {
    baseUrl: `http://${settings.listen.host}:${port}/v1`,
    // NATS is not a dependency: without it, each replica counts by itself.
    dependencies: { core: () => core.ping() },
    close: async () => {
      await drain(settings.lingerSeconds * 1000);
      await lanes.close();
    },
  };
};
