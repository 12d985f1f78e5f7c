import { join, resolve } from 'node:path';
import { packCoreClient } from './pack.ts';

/** `npm run pack:core-client [-- DIR]`: writes the tarball to `dist` or to the named folder, and prints its path. */
console.log(await packCoreClient(resolve(process.argv[2] ?? join(import.meta.dirname, '../../dist'))));
