import { createHash } from 'node:crypto';
import { canonicalJson } from '@evaluation/rules';
import * as z from 'zod/v4';
import { readTexts, readVersion } from '../../guides/fittedGuides.ts';
import { readGuideMarks } from '../../guides/guideMarks.ts';
import type { Services } from '../../command/services.ts';

export const WantedGuideParts = z.object({
  institute_id: z.uuid(),
  run_id: z.uuid(),
  /** Question of the previous answer; null for the first call. */
  after: z.uuid().nullable(),
});

/**
 * Reads the guide that set the mark in force of the run's next question, as a part of the evidence (docs/evidence.md).
 * The part is made from the stored version and the answers of its examples, so an erased answer is missing in it.
 * @returns the part, and the value of `after` for the next call; null after the last part
 */
export const readGuidePart = async (
  services: Services,
  { institute_id, run_id, after }: z.infer<typeof WantedGuideParts>,
) =>
  services.database.inTenant(institute_id, async (tx) => {
    const marks = await readGuideMarks(tx, institute_id, run_id);
    const questionId = [...marks.keys()].find((id) => after === null || id > after);
    const mark = questionId === undefined ? undefined : marks.get(questionId);
    if (mark === undefined) return null;
    const version = await readVersion(tx, institute_id, mark.question_id, mark.version);
    if (version === null) throw new Error(`version ${mark.version} of a guide of run ${run_id} is missing`);
    const texts = await readTexts(tx, institute_id, mark.question_id, version.examples);
    const content = {
      version: version.version,
      sha256: version.sha256,
      constants: version.constants,
      examples: version.examples.map((example) => ({ ...example, text: texts.get(example.run_id) ?? null })),
      threshold: mark.threshold,
    };
    const sha256 = createHash('sha256').update(canonicalJson(content)).digest('hex');
    return { kind: 'guide' as const, ref: mark.question_id, sha256, content };
  });
