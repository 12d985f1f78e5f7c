import { startMonitor, type Dependencies } from './monitor.ts';
import { startTracing } from './tracing.ts';

/** What a process shows of itself. */
export interface Observed {
  /** What it needs to be of use. */
  dependencies: Dependencies;
  /** What an operator should know and no cluster should act on: `/readyz` adds it below its answer, a line each. */
  notes?: () => readonly string[];
  /** Brings gauges up to date that are read from somewhere. */
  refreshMetrics?: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a program between its traces, which begin before it and end after it, and its monitor, which answers as long as
 * it runs: while it drains, a cluster sees a live process that is not ready.
 */
export const observe = async <P extends Observed>(
  service: string,
  settings: {
    listen: { host: string; port: number } | null;
    traces: { endpoint: string | undefined; sampleRatio: number };
  },
  start: () => Promise<P>,
): Promise<P> => {
  const tracing = startTracing({ service, ...settings.traces });
  let program: P | undefined;
  try {
    const running = await start();
    program = running;
    const monitor =
      settings.listen === null
        ? null
        : await startMonitor({
            ...settings.listen,
            service,
            dependencies: running.dependencies,
            ...(running.notes === undefined ? {} : { notes: running.notes }),
            ...(running.refreshMetrics === undefined ? {} : { beforeScrape: running.refreshMetrics }),
          });
    return {
      ...running,
      close: async () => {
        monitor?.stopping();
        await running.close();
        await monitor?.close();
        await tracing.close();
      },
    };
  } catch (error) {
    await program?.close();
    await tracing.close();
    throw error;
  }
};
