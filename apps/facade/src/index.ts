export { startFacade, type Facade } from './start.ts';
