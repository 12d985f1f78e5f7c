import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, bytesBelow } from './bundle.ts';
import { imageNames } from './images.ts';

/** `npm run bundle [-- --out DIR] [IMAGE…]`: writes `dist/IMAGE` for all images or the named ones. */
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: join(import.meta.dirname, '../../dist') } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !imageNames.some((image) => image === name));
if (unknown.length > 0) {
  process.stderr.write(`unknown image ${unknown.join(', ')}; images: ${imageNames.join(', ')}\n`);
  process.exit(2);
}
for (const name of imageNames) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const folder = join(resolve(values.out), name);
  await bundle(name, folder);
  process.stdout.write(`${folder}  ${((await bytesBelow(folder)) / 1e6).toFixed(1)} MB\n`);
}
