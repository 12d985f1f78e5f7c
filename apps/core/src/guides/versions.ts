import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { GUIDE_CONSTANTS, versionSha256 } from '@evaluation/guide';
import { readExamples, type ExamplesOfQuestion } from './examples.ts';

/*
 * Versions of guides. A version names its examples and constants and never changes. It is made when a command or query
 * needs the guide and the examples differ from those of the latest version, so many decisions in a row make one
 * version. If two transactions make the same number, the second reads the version of the first and tries again.
 */

interface GuideVersion {
  version: number;
  /** Hash of examples and constants (`versionSha256`). */
  sha256: string;
  examples: number;
}

const MOST_TRIES = 5;

/**
 * Makes the versions that are missing. @returns the present version of each question with a guide; a guide whose last
 * example was withdrawn has a version without examples
 */
export const ensureVersions = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<Map<string, GuideVersion>> => {
  for (let tries = 1; ; tries += 1) {
    const latest = await latestVersions(tx, instituteId, examId);
    const examples = await readExamples(tx, instituteId, examId);
    const fresh = differing(latest, examples);
    if (fresh.length === 0) return latest;
    const made = await insertVersions(tx, instituteId, examId, fresh);
    if (made === fresh.length) {
      for (const { question_id, version, sha256, examples: used } of fresh) {
        latest.set(question_id, { version, sha256, examples: used.length });
      }
      return latest;
    }
    if (tries === MOST_TRIES) throw new Error(`versions of guides of exam ${examId} change too fast`);
  }
};

interface FreshVersion extends ExamplesOfQuestion {
  question_id: string;
  version: number;
  sha256: string;
}

const NO_EXAMPLES: ExamplesOfQuestion = { examples: [], constants: GUIDE_CONSTANTS };

const differing = (
  latest: ReadonlyMap<string, GuideVersion>,
  examples: ReadonlyMap<string, ExamplesOfQuestion>,
): FreshVersion[] =>
  [...new Set([...latest.keys(), ...examples.keys()])].toSorted().flatMap((question_id) => {
    const used = examples.get(question_id) ?? NO_EXAMPLES;
    const known = latest.get(question_id);
    const sha256 = versionSha256(used.constants, used.examples);
    if (known?.sha256 === sha256) return [];
    return [{ question_id, version: (known?.version ?? 0) + 1, sha256, ...used }];
  });

const latestVersions = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<Map<string, GuideVersion>> => {
  const { rows } = await sql<GuideVersion & { question_id: string }>`
    select distinct on (question_id) question_id, version, sha256, jsonb_array_length(examples) as examples
    from guide_versions
    where institute_id = ${instituteId} and exam_id = ${examId}
    order by question_id, version desc`.execute(tx);
  return new Map(rows.map(({ question_id, ...version }) => [question_id, version]));
};

const insertVersions = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  versions: readonly FreshVersion[],
): Promise<number> => {
  const inserted = await tx
    .insertInto('guide_versions')
    .values(
      versions.map(({ examples, constants, ...version }) => ({
        ...version,
        institute_id: instituteId,
        exam_id: examId,
        examples: json(examples),
        constants: json(constants),
      })),
    )
    .onConflict((conflict) => conflict.columns(['question_id', 'version']).doNothing())
    .returning('question_id')
    .execute();
  return inserted.length;
};
