import { once } from 'node:events';
import { createServer } from 'node:http';
import { startLink } from '../../../tests/harness/link.ts';
import { highestOf } from './coreMetrics.ts';
import type { Metrics } from './metrics.ts';
import { listenHere } from '../../../tests/harness/listenHere.ts';

/**
 * Takes the place of Prometheus: answers the instant queries of the chart's ScaledObjects,
 * `max(METRIC{…,lane="LANE"})`, with the present values of core's pods.
 *
 * @param metricsUrls where core's pods serve `/metrics` now
 */
export const startPrometheus = async (metricsUrls: () => string[]): Promise<Metrics> => {
  const answer = async (query: string): Promise<string | null> => {
    const [, metric = '', lane = ''] = /^max\((\w+)\{.*lane="(\w+)"\}\)$/.exec(query) ?? [];
    return highestOf(metricsUrls(), metric, lane);
  };
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://prometheus').searchParams.get('query') ?? '';
    void answer(query).then((value) => {
      const result = value === null ? [] : [{ metric: {}, value: [Date.now() / 1000, value] }];
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  });
  const port = await listenHere(server);
  const link = await startLink(port);
  return {
    link,
    close: async () => {
      await link.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
