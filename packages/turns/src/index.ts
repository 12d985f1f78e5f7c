export { finishInSlices, inSlices } from './slices.ts';
export { createTurns, NoTurn, type Turns, type TurnsOptions } from './turns.ts';
