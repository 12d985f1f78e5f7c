export { deploy, MigrationFailed } from './migrate/deploy.ts';
export { grantCore } from './migrate/grantCore.ts';
export {
  brokenConstraint,
  json,
  later,
  openDatabase,
  PREPARED,
  reusePlans,
  send,
  type Database,
  type Tx,
} from './tenant.ts';
export { withinTime } from './withinTime.ts';
