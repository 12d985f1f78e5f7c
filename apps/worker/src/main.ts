import { coreOverHttp } from '@evaluation/core-client';
import { readWorkerSettings } from '@evaluation/platform/settings';
import { asLogLines, observe, runUntilSignal } from '@evaluation/platform/telemetry';
import { startWorker } from './start.ts';

await runUntilSignal(async () => {
  const settings = readWorkerSettings();
  const core = coreOverHttp(settings.core);
  const worker = await observe('worker', settings.monitor, () => startWorker(settings, core));
  return {
    name: 'worker',
    close: async () => {
      await worker.close();
      await core.close();
    },
  };
}, asLogLines('worker'));
