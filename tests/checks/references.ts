import { join } from 'node:path';
import { checkReferences } from './checkReferences.ts';

/**
 * `npm run check:references`: prints a line for each reference that does not resolve, and exits with 1 if there is any.
 */
const offences = await checkReferences(process.argv[2] ?? join(import.meta.dirname, '../..'));
for (const offence of offences) console.error(offence);
if (offences.length > 0) process.exitCode = 1;
