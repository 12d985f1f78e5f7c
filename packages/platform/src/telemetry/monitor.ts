import { createServer } from 'node:http';
import { listen } from './listen.ts';
import { dependencyUp, exposition } from './metrics.ts';

/**
 * Checks by dependency name. A check resolves when the dependency answers and rejects otherwise. It must settle by
 * itself within seconds, because no second check starts while it runs.
 */
export type Dependencies = Record<string, () => Promise<void>>;

/** A check that takes longer counts as failed. */
const PATIENCE_MS = 2000;
/** Results are reused for this long, so that frequent callers put no load on the dependencies. */
const FRESH_MS = 1000;

interface Readiness {
  status: 200 | 503;
  /** `ok`, or the names of missing dependencies, e.g. `database, lanes`. The reasons are in the log only. */
  body: string;
}

/** Checks the dependencies. Callers share one result, at most a second old; each dependency has one check at a time. */
export const readinessOf = (dependencies: Dependencies, service: string): (() => Promise<Readiness>) => {
  const looks = Object.entries(dependencies).map(([dependency, isThere]) => ({
    dependency,
    look: oneAtATime(isThere),
  }));
  const lookAtAll = async (): Promise<Readiness> => {
    const missing = await Promise.all(
      looks.map(async ({ dependency, look }) => {
        const isUp = await inTime(look);
        dependencyUp.set({ service, dependency }, isUp ? 1 : 0);
        return isUp ? null : dependency;
      }),
    );
    const names = missing.filter((name) => name !== null);
    return names.length === 0 ? { status: 200, body: 'ok' } : { status: 503, body: names.join(', ') };
  };
  let found: { answer: Readiness; at: number } | null = null;
  const lookNow = oneAtATime(async () => {
    const answer = await lookAtAll();
    found = { answer, at: performance.now() };
    return answer;
  });
  return async () =>
    found !== null && performance.now() - found.at < FRESH_MS ? found.answer : await lookNow();
};

const withNotes = ({ status, body }: Readiness, notes: readonly string[]): Readiness => ({
  status,
  body: [body, ...notes].join('\n'),
});

const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let going: Promise<T> | null = null;
  return () =>
    (going ??= work().finally(() => {
      going = null;
    }));
};

const inTime = async (work: () => Promise<void>): Promise<boolean> => {
  const late = Promise.withResolvers<false>();
  const timeout = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([work().then(() => true), late.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timeout);
  }
};

export interface Monitor {
  url: string;
  /** From now on /readyz and /acceptz answer 503. */
  stopping(): void;
  close(): Promise<void>;
}

/**
 * Starts the internal port: `/healthz` (the process runs), `/readyz` (its dependencies answer), `/acceptz` (its
 * dependencies have answered once since the start, and it does not stop), `/metrics`. They share their checks.
 * @param beforeScrape updates gauges before a scrape. A failure or timeout leaves them as they are, and the scrape
 * still answers with the metrics of the process.
 */
export const startMonitor = async (options: {
  host: string;
  port: number;
  service: string;
  dependencies: Dependencies;
  beforeScrape?: () => Promise<void>;
  /** Lines added to the body of `/readyz`; they do not change its status. */
  notes?: () => readonly string[];
}): Promise<Monitor> => {
  let isStopping = false;
  let hasBeenReady = false;
  const readiness = readinessOf(options.dependencies, options.service);
  const answer = async (
    path: string | undefined,
  ): Promise<{ status: number; body: string; type: string }> => {
    const plain = 'text/plain; charset=utf-8';
    switch (path) {
      case '/healthz':
        return { status: 200, body: 'ok', type: plain };
      case '/readyz':
        if (isStopping) return { status: 503, body: 'stopping', type: plain };
        return { ...withNotes(await readiness(), options.notes?.() ?? []), type: plain };
      case '/acceptz':
        if (isStopping) return { status: 503, body: 'stopping', type: plain };
        if (!hasBeenReady) {
          const found = await readiness();
          if (found.status !== 200) return { ...found, type: plain };
          hasBeenReady = true;
        }
        return { status: 200, body: 'ok', type: plain };
      case '/metrics': {
        await Promise.all([
          options.beforeScrape === undefined ? null : inTime(options.beforeScrape),
          // A stopping process may have closed its dependencies.
          isStopping ? null : readiness(),
        ]);
        const { body, contentType } = await exposition();
        return { status: 200, body, type: contentType };
      }
      default:
        return { status: 404, body: 'not found', type: plain };
    }
  };
  const server = createServer((request, response) => {
    answer(request.url?.split('?')[0]).then(
      ({ status, body, type }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  const port = await listen(server, options, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  return {
    url: `http://${options.host}:${port}`,
    stopping: () => {
      isStopping = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
