export { deploy, MigrationFailed, type DeployOptions } from './migrate/deploy.ts';
export { grantCore } from './migrate/grantCore.ts';
export {
  brokenConstraint,
  hasTurn,
  Held,
  json,
  later,
  openDatabase,
  PREPARED,
  send,
  type Caller,
  type Database,
  type DatabaseOptions,
  type Pace,
  type ReadOptions,
  type Tx,
} from './tenant.ts';
export { withinTime } from './withinTime.ts';
