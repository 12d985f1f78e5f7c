import { createServer } from 'node:http';
import type { CoreAccess } from '@evaluation/core-client';
import type { FacadeSettings } from '@evaluation/settings';
import { createLogger } from '@evaluation/telemetry';
import { createApp } from './app.ts';

export interface Facade {
  /** Ends in /v1, as `{base_url}` of the spec. */
  baseUrl: string;
  close(): Promise<void>;
}

/** Starts the public REST API in front of core. */
export const startFacade = async (settings: FacadeSettings, core: CoreAccess): Promise<Facade> => {
  const log = createLogger({ service: 'facade', level: settings.logLevel });
  const server = createServer(createApp(core, settings, log));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.listen.port, settings.listen.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.listen.port;
  return {
    baseUrl: `http://${settings.listen.host}:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
};
