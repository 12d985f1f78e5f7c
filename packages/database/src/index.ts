export { AuditAction } from '../generated/kysely/types.ts';
export { deploy, MigrationFailed } from './migrate/deploy.ts';
export { grantCore } from './migrate/grantCore.ts';
export {
  brokenConstraint,
  isTaken,
  json,
  openDatabase,
  reusePlans,
  send,
  type ControlTx,
  type Database,
  type Tx,
  write,
} from './tenant.ts';
export { withinTime } from './withinTime.ts';
