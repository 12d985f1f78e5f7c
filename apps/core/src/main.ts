import { readCoreSettings } from '@evaluation/platform/settings';
import { asLogLines, observe, runUntilSignal } from '@evaluation/platform/telemetry';
import { startCore } from './server/start.ts';

/** Runs core as a process of its own. Migrations must be applied before the start. */
await runUntilSignal(async () => {
  const settings = readCoreSettings();
  const core = await observe('core', settings.monitor, () => startCore(settings));
  return { name: core.url, close: core.close };
}, asLogLines('core'));
