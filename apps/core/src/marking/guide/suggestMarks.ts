import { nearestExamples } from '@evaluation/guide';
import type { Actor } from '@evaluation/platform/signed-actor';
import { inSlices } from '@evaluation/platform/turns';
import * as z from 'zod/v4';
import { readGuide, type ReadyGuide } from '../../guides/fittedGuides.ts';
import { decideMark, readGuidable, type GuidableResult, type SkipReason } from '../../guides/guidable.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { findQuestionOfExam } from '../queue/openAnswers.ts';
import type { Services } from '../../command/services.ts';
import { nextSubmissions } from './nextSubmissions.ts';
import { readGuideSettings, refuseOff } from './settings.ts';

export const SuggestionQuery = z.object({
  question_id: z.uuid(),
  /** `next_cursor` of the previous page. */
  cursor: z.uuid().optional(),
  limit: z.int().gte(1).lte(50).optional(),
  /** Only the result of this submission. */
  submission_id: z.uuid().optional(),
  /** Only results whose marks the guide would change. A page may then hold fewer than `limit`, or none. */
  changed_only: z.boolean().optional(),
});
export type SuggestionQuery = z.infer<typeof SuggestionQuery>;

const DEFAULT_LIMIT = 20;
const NEAREST = 3;
/** Characters of an example's answer that are shown. */
const EXCERPT = 300;

interface SuggestedMark {
  submission_id: string;
  max: number;
  /** The mark that counts now. */
  mark: { awarded: number | null; confidence: number | null; by: 'grader' | 'guide' | 'teacher' };
  /** The grader's own mark. */
  grader: number | null;
  /** Why the guide has no mark for this answer. */
  skipped: SkipReason | null;
  suggestion: {
    awarded: number;
    /** Standard deviation of the teacher's mark, in marks. */
    spread: number;
    /** Probability that the teacher's mark is at most one step away. */
    agreement: number;
    nearest: { submission_id: string; similarity: number; awarded: number; answer: string }[];
  } | null;
}

interface SuggestedMarks {
  /** Version of the guide; null while the question has no example. */
  version: number | null;
  data: SuggestedMark[];
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * Shows, for a page of the question's results, the present mark and what the present guide would give.
 * @throws DomainFailure exam_not_found, not_found (the question), conflict (guides are off)
 */
export const suggestMarks = (
  services: Services,
  actor: Actor,
  examId: string,
  { question_id, cursor, limit = DEFAULT_LIMIT, submission_id, changed_only }: SuggestionQuery,
): Promise<SuggestedMarks> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findQuestionOfExam(tx, actor, examId, question_id);
    refuseOff(await readGuideSettings(tx, instituteId, exam.examId));
    const version = (await ensureVersions(tx, instituteId, exam.examId)).get(question_id)?.version ?? null;
    const guide = version === null ? null : await readGuide(tx, instituteId, question_id, version);
    const found = await nextSubmissions(
      tx,
      instituteId,
      exam.examId,
      cursor ?? null,
      limit + 1,
      submission_id ?? null,
    );
    const page = found.slice(0, limit);
    const results = await readGuidable(
      tx,
      instituteId,
      page.map(({ id }) => id),
      question_id,
    );
    const data: SuggestedMark[] = [];
    const pause = inSlices();
    for (const result of results) {
      await pause();
      const shown = suggested(result, guide);
      if (changed_only !== true || isDifferent(shown)) data.push(shown);
    }
    const hasMore = found.length > limit;
    return {
      version,
      data,
      next_cursor: hasMore ? (page.at(-1)?.candidate_id ?? null) : null,
      has_more: hasMore,
    };
  });

const isDifferent = ({ suggestion, mark }: SuggestedMark): boolean =>
  suggestion !== null && suggestion.awarded !== mark.awarded;

const suggested = (result: GuidableResult, guide: ReadyGuide | null): SuggestedMark => {
  const decided = decideMark(result, guide, null);
  const { override, guided, grader, max } = result;
  const mark = guided?.mark ?? grader;
  return {
    submission_id: result.submission_id,
    max,
    mark: {
      awarded: override ?? mark?.awarded ?? null,
      confidence: mark?.confidence ?? null,
      by: override !== null || result.is_approved ? 'teacher' : guided === null ? 'grader' : 'guide',
    },
    grader: grader?.awarded ?? null,
    skipped: typeof decided === 'string' ? decided : null,
    suggestion:
      typeof decided === 'string' || guide === null
        ? null
        : {
            awarded: decided.prediction.marks,
            spread: decided.prediction.spread * max,
            agreement: decided.prediction.agreement,
            nearest: nearest(guide, result.text ?? ''),
          },
  };
};

const nearest = (guide: ReadyGuide, text: string) => {
  const answers = new Map(guide.fitted.model.examples.map((example) => [example.id, example.text]));
  const marks = new Map(guide.examples.map(({ submission_id, teacher }) => [submission_id, teacher]));
  return nearestExamples(guide.fitted, text, NEAREST).map(({ id, similarity }) => ({
    submission_id: id,
    similarity,
    awarded: marks.get(id) ?? 0,
    answer: (answers.get(id) ?? '').slice(0, EXCERPT).toWellFormed(),
  }));
};
