import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import {
  modelOfVersion,
  restoreSteps,
  ExampleOfVersion,
  type FittedGuide,
  GuideConstants,
} from '@evaluation/guide';
import { finishInSlices } from '@evaluation/platform/turns';
import { LRUCache } from 'lru-cache';
import * as z from 'zod/v4';

const Examples = z.array(ExampleOfVersion);

interface StoredVersion {
  question_id: string;
  version: number;
  sha256: string;
  constants: GuideConstants;
  examples: ExampleOfVersion[];
}

export interface ReadyGuide extends Omit<StoredVersion, 'constants'> {
  fitted: FittedGuide;
}

export const readVersion = async (
  tx: Tx,
  instituteId: string,
  questionId: string,
  version: number,
): Promise<StoredVersion | null> => {
  const row = await tx
    .selectFrom('guide_versions')
    .select(['question_id', 'version', 'sha256', 'constants', 'examples'])
    .where('institute_id', '=', instituteId)
    .where('question_id', '=', questionId)
    .where('version', '=', version)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { ...row, constants: GuideConstants.parse(row.constants), examples: Examples.parse(row.examples) };
};

/** Answers of the examples by run. An answer that was erased is absent. */
export const readTexts = async (
  tx: Tx,
  instituteId: string,
  questionId: string,
  examples: readonly ExampleOfVersion[],
): Promise<Map<string, string>> => {
  const rows = await tx
    .selectFrom('question_results')
    .select(['run_id', 'extracted_answer'])
    .where('institute_id', '=', instituteId)
    .where('question_id', '=', questionId)
    .where(sql<boolean>`run_id = any(${examples.map(({ run_id }) => run_id)}::uuid[])`)
    .execute();
  return new Map(
    rows.flatMap(({ run_id, extracted_answer }) =>
      extracted_answer === null ? [] : [[run_id, extracted_answer]],
    ),
  );
};

/**
 * Fitted guides that this process keeps, so that a pass over many results and completions of runs fit each one once.
 */
const MOST_KEPT = 50;
/** Most characters of the answers of all kept guides: some 60 MB. One guide of two hundred longest answers fits in. */
const MOST_CHARACTERS_KEPT = 4_000_000;
/** An erasure takes effect in memory after this time at the latest. */
const KEPT_MS = 5 * 60_000;

const kept = new LRUCache<string, ReadyGuide>({
  max: MOST_KEPT,
  maxSize: MOST_CHARACTERS_KEPT,
  sizeCalculation: (guide) => guide.fitted.model.examples.reduce((sum, { text }) => sum + text.length, 1),
  ttl: KEPT_MS,
});

/**
 * Reads and fits the guide of a question at a version. The same version predicts the same marks.
 * @returns null if the version has no example, or an example's answer was erased
 */
export const readGuide = async (
  tx: Tx,
  instituteId: string,
  questionId: string,
  version: number,
): Promise<ReadyGuide | null> => {
  const key = `${instituteId} ${questionId} ${version}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const stored = await readVersion(tx, instituteId, questionId, version);
  if (stored === null || stored.examples.length === 0) return null;
  const texts = await readTexts(tx, instituteId, questionId, stored.examples);
  const model = modelOfVersion(stored.constants, stored.examples, texts);
  if (model === null) return null;
  const { constants: _, ...named } = stored;
  const guide = { ...named, fitted: await finishInSlices(restoreSteps(model)) };
  kept.set(key, guide);
  return guide;
};
