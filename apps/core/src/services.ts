import type { Database } from '@evaluation/database';
import type { JobLane } from '@evaluation/jobs-contract';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { CoreSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';
import type { LanePace } from './lanes/lanePace.ts';

/** Dependencies of core's commands; created once by `startCore`. */
export interface Services {
  database: Database;
  objects: ObjectStore;
  lanes: Lanes;
  settings: CoreSettings;
  log: Logger;
  /** Wakes the dispatcher early for runs, or for the jobs of `lane`. It also ticks by itself. */
  wakeDispatcher: (lane?: JobLane) => void;
  /**
   * Runs an effect after the change of the command is committed: immediately, or after the commit if the command runs
   * inside the transaction of `once`. The effect must not throw.
   */
  afterCommit: (effect: () => Promise<void>) => Promise<void>;
  /** Measured pace of the lanes, for estimates. */
  lanePace: Pick<LanePace, 'of'>;
}
