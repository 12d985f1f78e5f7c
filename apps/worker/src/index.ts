export { startWorker } from './start.ts';
