import { join } from 'node:path';
import { checkLicences } from './checkLicences.ts';

/** `npm run check:licences`: prints dependencies that break the rules, and exits with 1 if there are any. */
const root = process.argv[2] ?? join(import.meta.dirname, '../..');
const offences = await checkLicences(root);
for (const offence of offences) console.error(offence);
if (offences.length > 0) process.exitCode = 1;
