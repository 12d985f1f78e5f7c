import { coreOverHttp } from '@evaluation/core-client';
import { readWorkerSettings } from '@evaluation/settings';
import { runUntilSignal } from '@evaluation/telemetry';
import { startWorker } from './start.ts';

/** A worker as a process of its own. */
await runUntilSignal(async () => {
  const settings = readWorkerSettings();
  const core = coreOverHttp(settings.core);
  const worker = await startWorker(settings, core);
  return {
    name: 'worker',
    close: async () => {
      await worker.close();
      await core.close();
    },
  };
});
