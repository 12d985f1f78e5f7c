export { startCore, type Core } from './start.ts';
export { coreRouter, type CoreRouter } from './router.ts';
