export { startStandalone, type Standalone } from './start.ts';
