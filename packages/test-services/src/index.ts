export { cloneDatabase, type ClonedDatabase } from './database/cloneDatabase.ts';
export { openTestDatabase, type TestDatabase } from './database/openTestDatabase.ts';
export { readPlan, type PlanReading } from './database/readPlan.ts';
export { statementsOf } from './database/statementsOf.ts';
export { newBacking, type Backing } from './newBacking.ts';
export { newBucket } from './newBucket.ts';
export { newLanes, newNamespace } from './newLanes.ts';
export type { TestServices } from './startedServices.ts';
export * from './model/index.ts';
