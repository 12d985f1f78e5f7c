import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licencesOf } from './licences.ts';

/** Writes one module without imports of packages, `index.js`, and the licences of what is in it. */
export const bundleLibrary = async (entry: string, folder: string): Promise<void> => {
  const build = await rolldown({
    input: { index: entry },
    platform: 'node',
    // Metrics and logs of the service are made where their modules are imported, and the library has no use for them.
    treeshake: { moduleSideEffects: false },
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`the bundle of ${entry}: ${message}`);
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      codeSplitting: false,
    });
    const bundled = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    await writeFile(join(folder, 'LICENSES.txt'), await licencesOf(bundled));
  } finally {
    await build.close();
  }
};
