import { createServer } from 'node:http';
import type { CoreOverHttp } from '@evaluation/core-client';
import type { DeskSettings } from '@evaluation/platform/settings';
import { openLanes } from '@evaluation/lanes';
import { createLogger, drainable, listen, type Observed } from '@evaluation/platform/telemetry';
import { createApp } from './app.ts';
import { openStreams } from './events/streams.ts';

interface Desk extends Observed {
  /** Address in the browser, without a slash at its end. */
  url: string;
}

export const startDesk = async (settings: DeskSettings, core: CoreOverHttp): Promise<Desk> => {
  const log = createLogger({ service: 'desk', level: settings.logLevel });
  const lanes = openLanes({
    ...settings.lanes,
    // The desk has the NATS user of the facade.
    name: 'facade',
    onProgress: (event, details) => log.info(details, event),
  });
  const streams = openStreams(lanes);
  const server = createServer(createApp(core, settings, log, streams));
  const { drain } = drainable(server);
  // Longer than the idle timeout of a proxy: the proxy must close first, or a request it sends at that moment is lost.
  server.keepAliveTimeout = 75_000;
  let port: number;
  try {
    port = await listen(server, settings.listen, { host: 'DESK_HOST', port: 'DESK_PORT' });
  } catch (error) {
    streams.close();
    await lanes.close();
    throw error;
  }
  return {
    url: settings.url?.origin ?? `http://${settings.listen.host}:${port}`,
    // NATS is not a dependency: without it, open pages read again at intervals.
    dependencies: { core: () => core.ping() },
    close: async () => {
      // Streams never end by themselves, and the drain waits for open responses.
      streams.close();
      await drain(settings.lingerSeconds * 1000);
      await lanes.close();
    },
  };
};
