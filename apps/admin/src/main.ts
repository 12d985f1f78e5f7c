import { runAdmin } from './admin.ts';

/** `npm run --silent admin -- …`: the provisioning CLI (design chapter 6). */
process.exitCode = await runAdmin(process.argv.slice(2));
