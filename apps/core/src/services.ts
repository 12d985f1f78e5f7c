import type { Database } from '@evaluation/database';
import type { JobLane } from '@evaluation/jobs-contract';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { CoreSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';
import type { LanePace } from './lanes/lanePace.ts';

/** What core's commands work with; made once by `startCore`. */
export interface Services {
  database: Database;
  objects: ObjectStore;
  lanes: Lanes;
  settings: CoreSettings;
  log: Logger;
  /** Tells the dispatcher that there may be runs, or jobs of a lane, to release; it ticks by itself anyway. */
  wakeDispatcher: (lane?: JobLane) => void;
  /**
   * What a command tells others once its change is there: at once, or, in a command that is a part of a transaction
   * (`once`), after the commit. Must not throw.
   */
  afterCommit: (effect: () => Promise<void>) => Promise<void>;
  /** How fast the lanes work, for estimates. */
  lanePace: Pick<LanePace, 'of'>;
}
