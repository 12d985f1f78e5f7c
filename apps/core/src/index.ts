export { startCore, type Core } from './start.ts';
export { coreRouter, type CoreRouter } from './router.ts';
export type { PublicRouter } from './routers/public.ts';
