/** What changes a database's schema and rights, apart from what reads and writes it: a program that migrates needs no more. */
export { deploy, MigrationFailed, type DeployOptions } from './deploy.ts';
export { grantCore } from './grantCore.ts';
export { waitForSchema } from './waitForSchema.ts';
export { waitForServer } from './waitForServer.ts';
