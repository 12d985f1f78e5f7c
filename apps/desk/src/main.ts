import { coreOverHttp } from '@evaluation/core-client';
import { readDeskSettings } from '@evaluation/platform/settings';
import { asLogLines, observe, runUntilSignal } from '@evaluation/platform/telemetry';
import { startDesk } from './start.ts';

await runUntilSignal(async () => {
  const settings = readDeskSettings();
  const core = coreOverHttp(settings.core);
  const desk = await observe('desk', settings.monitor, () => startDesk(settings, core));
  return {
    name: desk.url,
    close: async () => {
      await desk.close();
      await core.close();
    },
  };
}, asLogLines('desk'));
