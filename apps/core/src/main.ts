import { readCoreSettings } from '@evaluation/settings';
import { runUntilSignal } from '@evaluation/telemetry';
import { startCore } from './start.ts';

/** Core as a process of its own. Migrations are applied before it starts, by whoever deploys. */
await runUntilSignal(async () => {
  const core = await startCore(readCoreSettings());
  return { name: core.url, close: core.close };
});
