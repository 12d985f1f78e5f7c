import { posix, resolve, dirname } from 'node:path';
import type { Plugin } from 'rolldown';

/** `new URL('main.ts', import.meta.url)`: how our code names a file or a folder beside it. */
const BESIDE = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
/** `createRequire(import.meta.url).resolve`: a file of a package, which is copied into node_modules of the bundle. */
const OF_A_PACKAGE = /createRequire\(import\.meta\.url\)/g;
const COMMENT = /^\s*\/\/.*$/gm;
const BY_PLACE = /import\.meta\.(?:url|dirname|filename|resolve)|__dirname|__filename/;

/**
 * Our code names files by their place in the repository, which a bundle has not. A program (`.ts`) that is started as a
 * process or a thread becomes an entry of the bundle; a folder is expected beside the bundle under its own name. All
 * files of a bundle lie in one folder, so that a place is the same for each.
 *
 * @throws Error for a name by place that it does not know, which would break when it is used
 */
export const filesBesideCode = (): Plugin => ({
  name: 'files beside code',
  transform(code, id) {
    if (!id.endsWith('.ts') || id.includes('/node_modules/') || !BY_PLACE.test(code)) return null;
    const rest = code.replaceAll(COMMENT, '').replaceAll(BESIDE, '').replaceAll(OF_A_PACKAGE, '');
    // Prisma's client asks for its folder to find an engine, which this kind of client has not.
    if (BY_PLACE.test(rest) && !id.includes('/generated/')) {
      throw new Error(`${id} names a file by its place in a way that the bundle does not know`);
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

/** packages/pdf/src/child/main.ts → pdf-child-main.js: says in a list of processes what it is. */
const nameOfProgram = (file: string): string => {
  const parts = file.replace(/\.ts$/, '').split('/');
  const own = parts.slice(parts.lastIndexOf('src') - 1).filter((part) => part !== 'src');
  return `${own.join('-')}.js`;
};
