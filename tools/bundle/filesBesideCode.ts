import { posix, resolve, dirname } from 'node:path';
import type { Plugin } from 'rolldown';

/** `new URL('main.ts', import.meta.url)`: a file or folder beside the code. */
const BESIDE = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
/** `createRequire(import.meta.url).resolve`: a file of a package copied into the bundle's node_modules. */
const OF_A_PACKAGE = /createRequire\(import\.meta\.url\)/g;
const COMMENT = /^\s*\/\/.*$/gm;
const BY_PLACE = /import\.meta\.(?:url|dirname|filename|resolve)|__dirname|__filename/;

/**
 * Rewrites relative file names, which differ in a bundle. A `.ts` program that is started as a process or thread
 * becomes an entry of the bundle. A folder is expected beside the bundle under its own name. All files of a bundle are
 * in one folder, so one relative name is right for all of them.
 *
 * @throws Error for other uses of the module's location, which would fail at run time
 */
export const filesBesideCode = (): Plugin => ({
  name: 'files beside code',
  transform(code, id) {
    if (!id.endsWith('.ts') || id.includes('/node_modules/') || !BY_PLACE.test(code)) return null;
    const rest = code.replaceAll(COMMENT, '').replaceAll(BESIDE, '').replaceAll(OF_A_PACKAGE, '');
    // Prisma's generated client looks for an engine beside itself, but its WASM variant has none.
    if (BY_PLACE.test(rest) && !id.includes('/generated/')) {
      throw new Error(`${id} uses its own location in a way that the bundle does not support`);
    }
    return {
      code: code.replaceAll(BESIDE, (_, path: string) => {
        if (!path.endsWith('.ts')) return `new URL('./${posix.basename(path)}', import.meta.url)`;
        const file = resolve(dirname(id), path);
        const reference = this.emitFile({ type: 'chunk', id: file, fileName: nameOfProgram(file) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
      }),
      map: null,
    };
  },
});

/** packages/pdf/src/child/main.ts → pdf-child-main.js, a name that identifies the process in a list. */
const nameOfProgram = (file: string): string => {
  const parts = file.replace(/\.ts$/, '').split('/');
  const own = parts.slice(parts.lastIndexOf('src') - 1).filter((part) => part !== 'src');
  return `${own.join('-')}.js`;
};
