import type { Database } from '@evaluation/database';
import type { Lane } from '@evaluation/jobs-contract';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { CoreSettings } from '@evaluation/platform/settings';
import type { Logger } from '@evaluation/platform/telemetry';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Change } from './change.ts';
import type { LanePace } from './lanePace.ts';
import type { KnownInspections } from './workerCalls/knownInspections.ts';
import type { KnownClaims } from './workerCalls/knownClaims.ts';

/**
 * Why the dispatcher is woken. A lane: a run or job was queued for it. `place`: a run was claimed or has ended, so its
 * lane may have room for a waiting run.
 */
export type Wake = Lane | 'place';

export interface Services {
  database: Database;
  objects: ObjectStore;
  lanes: Lanes;
  settings: CoreSettings;
  log: Logger;
  /** Wakes the dispatcher before its next tick. */
  wakeDispatcher: (cause: Wake) => void;
  /** Runs an effect after the commit: at once, or after the commit of the transaction of `once`. Must not throw. */
  afterCommit: (effect: () => Promise<void>) => Promise<void>;
  /** Collects changed exams and submissions, which are announced to the desk. */
  changes: { note(change: Change): void };
  lanePace: Pick<LanePace, 'of'>;
  /** Claims of runs that this process has granted. */
  claims: KnownClaims;
  /** Inspections whose end this process has seen. */
  inspections: KnownInspections;
  /** @returns the signed actor of a call; null if the token is forged or expired */
  verifyActor: (token: string) => Actor | null;
}
