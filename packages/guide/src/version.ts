import { createHash } from 'node:crypto';
import { canonicalJson } from '@evaluation/rules';
import * as z from 'zod/v4';
import type { GuideConstants } from './constants.ts';
import type { GuideModel } from './fit.ts';

/**
 * An example in a version of a guide. `grader` and `teacher` are marks, not shares; `sha256` (hex) is the hash of the
 * answer's text.
 */
export const ExampleOfVersion = z.object({
  submission_id: z.uuid(),
  run_id: z.uuid(),
  grader: z.number(),
  teacher: z.number(),
  max: z.number().gt(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ExampleOfVersion = z.infer<typeof ExampleOfVersion>;

/** Hash of the content of a version. @param examples in the order of the version */
export const versionSha256 = (constants: GuideConstants, examples: readonly ExampleOfVersion[]): string =>
  sha256Of(
    canonicalJson({
      constants,
      examples: examples.map(({ submission_id, run_id, grader, teacher, max, sha256 }) => ({
        submission_id,
        run_id,
        grader,
        teacher,
        max,
        sha256,
      })),
    }),
  );

/**
 * The model of a version, from the texts of its examples by run id.
 * @returns null if a text is missing or is not the one that the version names
 */
export const modelOfVersion = (
  constants: GuideConstants,
  examples: readonly ExampleOfVersion[],
  texts: ReadonlyMap<string, string>,
): GuideModel | null => {
  const model = {
    constants,
    maxMarks: examples[0]?.max ?? 1,
    examples: [] as GuideModel['examples'][number][],
  };
  for (const { submission_id, run_id, grader, teacher, max, sha256 } of examples) {
    const text = texts.get(run_id);
    if (text === undefined || sha256Of(text) !== sha256) return null;
    model.examples.push({
      id: submission_id,
      text,
      graderShare: grader / max,
      teacherShare: teacher / max,
    });
  }
  return model;
};

/** Share of the marks that pass and that a teacher looks at nevertheless. */
export const AUDITED_SHARE = 0.05;

/** Draws results for the audit. A repetition and a replay draw the same ones. @param version `versionSha256` */
export const isDrawnForAudit = (
  version: string,
  { run_id, question_id }: { run_id: string; question_id: string },
): boolean => {
  const hash = createHash('sha256').update(`${version} ${run_id} ${question_id}`).digest();
  return hash.readUInt32BE(0) < AUDITED_SHARE * 2 ** 32;
};

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
