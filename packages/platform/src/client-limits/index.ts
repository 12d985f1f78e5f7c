export { heldBodies, NoRoom, type HeldBodies } from './heldBodies.ts';
export { networkOf } from './network.ts';
