export { finishInSlices, inSlices } from './slices.ts';
export { createTurns, NoTurn, type Turns } from './turns.ts';
