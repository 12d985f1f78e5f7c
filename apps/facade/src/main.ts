import { coreOverHttp } from '@evaluation/core-client';
import { readFacadeSettings } from '@evaluation/platform/settings';
import { asLogLines, observe, runUntilSignal } from '@evaluation/platform/telemetry';
import { startFacade } from './start.ts';

await runUntilSignal(async () => {
  const settings = readFacadeSettings();
  const core = coreOverHttp(settings.core);
  const facade = await observe('facade', settings.monitor, () => startFacade(settings, core));
  return {
    name: facade.baseUrl,
    close: async () => {
      await facade.close();
      await core.close();
    },
  };
}, asLogLines('facade'));
