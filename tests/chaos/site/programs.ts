import { join } from 'node:path';
import { bundle } from '@evaluation/bundle';
import { buildPage } from '@evaluation/desk/build';
import { sourceOf } from '../../harness/processes.ts';
import { APPS, type App } from '../plan/plan.ts';

/** The file that each app is started from. */
export type Programs = (app: App) => string;

export const programsFromSource: Programs = (app) => sourceOf(app);

/** Bundles the apps as for their images: a process from a bundle starts with half the CPU time. */
export const programsFromBundles = async (folder: string): Promise<Programs> => {
  await buildPage(() => {});
  for (const app of APPS) await bundle(app, join(folder, app));
  return (app) => join(folder, app, 'main.js');
};
