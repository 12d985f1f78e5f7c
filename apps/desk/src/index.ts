export { startDesk, type Desk } from './start.ts';
