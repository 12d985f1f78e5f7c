export { heldBodies, NoRoom, type HeldBodies, type HeldBody } from './heldBodies.ts';
export { networkOf } from './network.ts';
export { finishInSlices, inSlices } from './slices.ts';
export { createTurns, NoTurn, type Turns, type TurnsOptions } from './turns.ts';
