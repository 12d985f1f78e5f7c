import type { Database } from '@evaluation/database';
import type { JobLane } from '@evaluation/jobs-contract';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { CoreSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';
import type { LanePace } from './lanes/lanePace.ts';
import type { KnownClaims } from './workerCalls/knownClaims.ts';

export interface Services {
  database: Database;
  objects: ObjectStore;
  lanes: Lanes;
  settings: CoreSettings;
  log: Logger;
  /** Wakes the dispatcher early for runs, or for the jobs of `lane`. It also ticks by itself. */
  wakeDispatcher: (lane?: JobLane) => void;
  /** Runs an effect after the commit: at once, or after the commit of the transaction of `once`. Must not throw. */
  afterCommit: (effect: () => Promise<void>) => Promise<void>;
  lanePace: Pick<LanePace, 'of'>;
  /** Claims of runs that this process has granted. */
  claims: KnownClaims;
}
