import { createServer } from 'node:http';
import { listen } from './listen.ts';
import { dependencyUp, exposition } from './metrics.ts';

/**
 * What a process needs to be of use, by name: each resolves when it is there, and rejects when it is not. Each must settle
 * by itself within seconds: as long as a look at it goes on, no other one is begun.
 */
export type Dependencies = Record<string, () => Promise<void>>;

/** A dependency that does not answer within this is not there. */
const PATIENCE_MS = 2000;
/** Whoever asks sooner is told what was found last, so that no number of callers is a load on what is looked at. */
const FRESH_MS = 1000;

export interface Readiness {
  status: 200 | 503;
  /** `ok`, or the names of what is missing, e.g. `database, lanes`; never why: that is in the log. */
  body: string;
}

/**
 * Whether a process can do its work now. All who ask share one look, which is at most a second old, and a dependency
 * is never asked twice at once.
 */
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

/** Whoever calls while a call goes on shares its outcome. */
const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let going: Promise<T> | null = null;
  return () =>
    (going ??= work().finally(() => {
      going = null;
    }));
};

/** Whether it was done, and within the time. */
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
  /** From now on the process takes nothing new, so it is not ready whatever its dependencies are. */
  stopping(): void;
  close(): Promise<void>;
}

/**
 * The port that only a cluster looks at: `/healthz` (the process runs), `/readyz` (so does what it needs), `/metrics`,
 * which says of that what `/readyz` would: they share a look.
 * @param beforeScrape brings gauges up to date that are read from somewhere; a failure leaves them as they are, and a
 *   scrape does not wait for what hangs: what the process counts itself is still true
 */
export const startMonitor = async (options: {
  host: string;
  port: number;
  service: string;
  dependencies: Dependencies;
  beforeScrape?: () => Promise<void>;
  /** Lines that `/readyz` adds below its answer; its status is not changed by them. */
  notes?: () => readonly string[];
}): Promise<Monitor> => {
  let isStopping = false;
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
      case '/metrics': {
        await Promise.all([
          options.beforeScrape === undefined ? null : inTime(options.beforeScrape),
          // What it needs may be closed already.
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
