export { startCore, type Core } from './server/start.ts';
export { coreRouter, type CoreRouter } from './server/router.ts';
export type { PublicRouter } from './server/routers/public.ts';
