import { join } from 'node:path';
import { checkDialect } from './checkDialect.ts';

/** `npm run check:dialect`: prints what is not in the dialect of the repository, and exits with 1 if there is any. */
const offences = await checkDialect(process.argv[2] ?? join(import.meta.dirname, '../..'));
for (const offence of offences) console.error(offence);
if (offences.length > 0) process.exitCode = 1;
