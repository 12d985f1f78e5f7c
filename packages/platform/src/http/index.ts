export { createHttpApp } from './createHttpApp.ts';
export { requestIdOf } from './requestId.ts';
