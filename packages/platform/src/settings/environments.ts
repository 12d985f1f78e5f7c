/** Schemas of all programs, from which `.env.example` is generated. */
import { ClientEnvironment } from './client.ts';
import { CoreEnvironment } from './core.ts';
import { DeskEnvironment } from './desk.ts';
import { FacadeEnvironment } from './facade.ts';
import { MigrateEnvironment } from './migrate.ts';
import { StandaloneEnvironment } from './standalone.ts';
import { WorkerEnvironment } from './worker.ts';

export const environments = {
  standalone: StandaloneEnvironment,
  facade: FacadeEnvironment,
  desk: DeskEnvironment,
  core: CoreEnvironment,
  worker: WorkerEnvironment,
  migrate: MigrateEnvironment,
  'admin and demo': ClientEnvironment,
} as const;
