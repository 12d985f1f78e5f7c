export { startWorker, type Worker } from './start.ts';
