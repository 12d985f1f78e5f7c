export { countStructure, BodyTooLarge } from './bodyStructure.ts';
export { limitsOfBody, limitsOfCall } from './callLimits.ts';
export { heldBodies, NoRoom, type HeldBodies } from './heldBodies.ts';
export { lookUpLimits, type LookUpLimits } from './lookUpLimits.ts';
export { networkOf } from './network.ts';
export { tokenBuckets } from './tokenBuckets.ts';
