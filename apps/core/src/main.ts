import { readCoreSettings } from '@evaluation/settings';
import { observe, runUntilSignal } from '@evaluation/telemetry';
import { startCore } from './start.ts';

/** Core as a process of its own. Migrations are applied before it starts, by whoever deploys. */
await runUntilSignal(async () => {
  const settings = readCoreSettings();
  const core = await observe('core', settings.monitor, () => startCore(settings));
  return { name: core.url, close: core.close };
});
