import { runAdmin } from './admin.ts';

/** `npm run --silent admin -- …`: the provisioning CLI (docs/architecture.md#provisioning). */
process.exitCode = await runAdmin(process.argv.slice(2));
