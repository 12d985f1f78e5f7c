import { createServer } from 'node:http';
import type { CoreAccess } from '@evaluation/core-client';
import { openLanes } from '@evaluation/lanes';
import type { FacadeSettings } from '@evaluation/settings';
import { createLogger } from '@evaluation/telemetry';
import { createApp } from './app.ts';
import { startRateLimits } from './rateLimits/exchange.ts';

export interface Facade {
  /** Ends in /v1, as `{base_url}` of the spec. */
  baseUrl: string;
  close(): Promise<void>;
}

/** Starts the public REST API in front of core. */
export const startFacade = async (settings: FacadeSettings, core: CoreAccess): Promise<Facade> => {
  const log = createLogger({ service: 'facade', level: settings.logLevel });
  const lanes = openLanes({
    ...settings.lanes,
    name: 'facade',
    onProgress: (event, details) => log.info(details, event),
  });
  const rateLimits = await startRateLimits(lanes);
  const server = createServer(createApp(core, settings, log, lanes, rateLimits));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(settings.listen.port, settings.listen.host, resolve);
    });
  } catch (error) {
    await rateLimits.close();
    await lanes.close();
    throw error;
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.listen.port;
  return {
    baseUrl: `http://${settings.listen.host}:${port}/v1`,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      await rateLimits.close();
      await lanes.close();
    },
  };
};
