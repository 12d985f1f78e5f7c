export { countStructure, BodyTooLarge } from './bodyStructure.ts';
export { limitsOfBody, limitsOfCall } from './callLimits.ts';
export { heldBodies, NoRoom, type HeldBodies } from './heldBodies.ts';
export { networkOf } from './network.ts';
