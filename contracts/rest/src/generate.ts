import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatted } from './formatted.ts';
import { withTables } from './apiPages.ts';
import { collectionOf } from './collection.ts';
import { errorsPage } from './errorsPage.ts';
import { openApiDocument } from './openapi.ts';

/**
 * Writes the files generated from the contract: `openapi.json`, `postman.json`, `docs/errors.md`, and the tables in
 * `docs/api/*.md`.
 * `--check` writes nothing and exits with 1, naming each file that is out of date.
 * `--root` is the folder of these files; default: the repository.
 */
const repository = join(import.meta.dirname, '../../..');

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string', default: repository } },
});

const apiPages = await readdir(join(repository, 'docs/api'));

const document = await openApiDocument();
const files: Record<string, string> = {
  'contracts/rest/openapi.json': JSON.stringify(document),
  'contracts/rest/postman.json': JSON.stringify(collectionOf(document)),
  'docs/errors.md': errorsPage(),
  ...Object.fromEntries(
    await Promise.all(
      apiPages.map(async (name) => {
        const path = join('docs/api', name);
        return [path, withTables(await readFile(join(repository, path), 'utf8'))];
      }),
    ),
  ),
};

for (const [name, text] of Object.entries(files)) {
  const now = await formatted(name, text);
  const path = join(values.root, name);
  const current = await readFile(path, 'utf8').catch(() => null);
  if (current === now) continue;
  if (values.check) {
    console.error(
      `${name} has drifted from the contract: npm run generate:docs -w @evaluation/rest-contract`,
    );
    process.exitCode = 1;
  } else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, now);
    console.log(`${name} written`);
  }
}
