import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from './compileCache.ts';

// Vitest's setup file: children of the service that a test starts in its own process find their sources compiled.
enableCompileCache(COMPILE_CACHE);
