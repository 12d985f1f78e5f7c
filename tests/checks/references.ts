import { join } from 'node:path';
import { checkReferences } from './checkReferences.ts';

/** `npm run check:references`: prints references that do not resolve, and exits with 1 if there are any. */
const offences = await checkReferences(process.argv[2] ?? join(import.meta.dirname, '../..'));
for (const offence of offences) console.error(offence);
if (offences.length > 0) process.exitCode = 1;
