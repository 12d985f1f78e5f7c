export { heldBodies, NoRoom, type HeldBodies, type HeldBody } from './heldBodies.ts';
export { networkOf } from './network.ts';
