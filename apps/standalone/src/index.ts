export { startStandalone } from './start.ts';
