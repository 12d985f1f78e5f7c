import { join } from 'node:path';
import { checkImports } from './checkImports.ts';

/** `npm run check:imports`: prints offences against docs/architecture.md#layout, and exits with 1 if there are any. */
const root = process.argv[2] ?? join(import.meta.dirname, '../..');
const offences = await checkImports(root);
for (const offence of offences) console.error(offence);
if (offences.length > 0) process.exitCode = 1;
