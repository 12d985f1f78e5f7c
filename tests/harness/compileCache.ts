import { fileURLToPath } from 'node:url';

/** A good third of the CPU of a short program is reading its sources: many programs are started, from the same ones. */
export const COMPILE_CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/node-compile', import.meta.url),
);
