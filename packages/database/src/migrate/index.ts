/** Functions that change a database's schema and rights. A separate entry, so that migrate does not load the rest. */
export { deploy } from './deploy.ts';
export { grantCore } from './grantCore.ts';
export { waitForSchema } from './waitForSchema.ts';
export { waitForServer } from './waitForServer.ts';
