import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Account, SubmissionList } from '@evaluation/rest-contract/schemas';
import { createExam } from '../harness/api.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { blankPdf } from '../harness/pdfs.ts';
import { restSuite } from '../harness/restSuite.ts';

/* The programs of docs/api/recipes.md, on top of `call` of docs/api/languages.md. */

const { tenant } = await restSuite();
const FOLDER = join(import.meta.dirname, '../../docs/api');
const programsOf = async (page: string): Promise<string[]> =>
  [...(await readFile(join(FOLDER, page), 'utf8')).matchAll(/```python\n([^]*?)\n```/g)].map(
    ([, text = '']) => text,
  );
const hasPython = spawnSync('python3', ['--version']).status === 0;

const DRIVER = `
import sys
exam_id, copy, began = sys.argv[1:]
copies = {f"S-{number}": copy for number in range(3)}
first = submit_class(exam_id, dict(list(copies.items())[:2]))
again = submit_class(exam_id, copies)
rows = {}
state = follow({"since": began}, lambda row: rows.update({row["id"]: row["status"]}))
repeated = []
state = follow(state, lambda row: repeated.append(row["id"]))
print(json.dumps({"first": sorted(first), "again": sorted(again), "rows": rows, "repeated": repeated, "state": state}))
`;

test.skipIf(!hasPython)(
  'the recipes submit a class, go on after a stop, and follow the feed (skipped without Python)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recipes-'));
    try {
      const exam = await createExam(tenant.api, { ...typedExam([longAnswer('1')]), mode: 'handwritten' });
      const [call = ''] = await programsOf('languages.md');
      const recipes = await programsOf('recipes.md');
      expect(recipes).toHaveLength(2);
      await writeFile(join(folder, 'copy.pdf'), blankPdf());
      await writeFile(join(folder, 'recipes.py'), [call, ...recipes, DRIVER].join('\n'));
      const began = '2026-01-01T00:00:00.000Z';
      const output = await new Promise<string>((resolve, reject) => {
        execFile(
          'python3',
          ['-B', 'recipes.py', exam.id, 'copy.pdf', began],
          { cwd: folder, env: { ...process.env, BASE: tenant.api.baseUrl, KEY: tenant.api.apiKey } },
          (failure, stdout, stderr) => {
            if (failure === null) resolve(stdout);
            else reject(new Error(stderr, { cause: failure }));
          },
        );
      });
      const feed = (await tenant.api.get<SubmissionList>('/submissions')).body.data;
      const ids = feed.map(({ id }) => id).toSorted();
      expect(ids).toHaveLength(3);
      const printed: unknown = JSON.parse(output);
      expect(printed).toMatchObject({
        first: ['S-0', 'S-1'],
        again: ['S-2'],
        rows: Object.fromEntries(feed.map(({ id, status }) => [id, status])),
        // The pass begins two minutes earlier, so each row comes again.
        repeated: expect.arrayContaining(ids),
      });
      expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(3);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
