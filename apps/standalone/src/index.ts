export { startStandalone, type Standalone } from './start.ts';
export { readInstallation, type Installation } from './installation.ts';
