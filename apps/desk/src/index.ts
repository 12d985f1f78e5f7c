export { startDesk } from './start.ts';
