export { startFacade } from './start.ts';
