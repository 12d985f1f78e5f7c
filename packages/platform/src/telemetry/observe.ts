import { startMonitor, type Dependencies } from './monitor.ts';
import { startTracing } from './tracing.ts';

export interface Observed {
  dependencies: Dependencies;
  /** Hints for operators, added to the body of `/readyz`; a cluster must not act on them. */
  notes?: () => readonly string[];
  refreshMetrics?: () => Promise<void>;
  close(): Promise<void>;
}

/** Starts tracing, program and monitor, and closes them in reverse: the monitor answers while the program drains. */
export const observe = async <P extends Observed>(
  service: string,
  settings: {
    listen: { host: string; port: number } | null;
    traces: { endpoint: string | undefined; sampleRatio: number };
  },
  start: () => Promise<P>,
): Promise<P> => {
  const tracing = await startTracing({ service, ...settings.traces });
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
