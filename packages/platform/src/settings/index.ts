/** The only code that reads the environment (docs/architecture.md#layout). Each bound has its reason beside it. */
export { readClientSettings, type ClientSettings } from './client.ts';
export { readCoreSettings, type CoreSettings } from './core.ts';
export { readDeskSettings, type DeskSettings } from './desk.ts';
export { readFacadeSettings, type FacadeSettings } from './facade.ts';
export { readMigrateSettings } from './migrate.ts';
export type { RateLimit } from './rateLimits.ts';
export { SettingsError } from './read.ts';
export { readStandaloneSettings, type StandaloneSettings } from './standalone.ts';
export { readWorkerSettings, type WorkerSettings } from './worker.ts';
export { readGraderSettings, type GraderSettings, type ModelPrices } from './grader.ts';
