import { join } from 'node:path';
import { sharedBundle } from '../../../tests/harness/bundles.ts';
import { sourceOf } from '../../../tests/harness/processes.ts';
import { APPS, type App } from '../plan/plan.ts';

/** The file that each app is started from. */
export type Programs = (app: App) => string;

export const programsFromSource: Programs = (app) => sourceOf(app);

/** Bundles the apps as for their images: a process from a bundle starts with half the CPU time. */
export const programsFromBundles = async (folder: string): Promise<Programs> => {
  for (const app of APPS) await sharedBundle(folder, app);
  return (app) => join(folder, app, 'main.js');
};
