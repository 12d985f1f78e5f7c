import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { errorsPage } from './errorsPage.ts';
import { openApiDocument } from './openapi.ts';
import { openPointsPage } from './openPointsPage.ts';

/**
 * Writes what is generated from the contract: `openapi.json`, `docs/errors.md`, `docs/open-points.md`.
 * `--check` writes nothing, and exits with 1 naming each file that no longer says what the contract says.
 * `--root` is the folder that holds them; by default the repository.
 */
const repository = join(import.meta.dirname, '../../..');

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string', default: repository } },
});

const files = {
  'contracts/rest/openapi.json': JSON.stringify(await openApiDocument()),
  'docs/errors.md': errorsPage(),
  'docs/open-points.md': openPointsPage(),
};

for (const [name, text] of Object.entries(files)) {
  const style = await resolveConfig(join(repository, name));
  const formatted = await format(text, { ...style, filepath: name });
  const path = join(values.root, name);
  const current = await readFile(path, 'utf8').catch(() => null);
  if (current === formatted) continue;
  if (values.check) {
    console.error(
      `${name} has drifted from the contract: npm run generate:docs -w @evaluation/rest-contract`,
    );
    process.exitCode = 1;
  } else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, formatted);
    console.log(`${name} written`);
  }
}
