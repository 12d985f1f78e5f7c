import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from './compileCache.ts';

// Set-up file of Vitest: child processes of a service inside the test process also use the compile cache.
enableCompileCache(COMPILE_CACHE);
