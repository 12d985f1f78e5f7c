import { sql } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';
import { answerGroups } from '../groups/answerGroups.ts';
import { nextToMark } from '../groups/nextToMark.ts';
import { findQuestionOfExam, readMarkedTexts, readOpenAnswers } from '../groups/openAnswers.ts';
import type { Services } from '../../command/services.ts';

/** Why an answer comes next. */
type Reason = 'instructive' | 'identical' | 'uncertain';

interface NextAnswer {
  submission_id: string;
  reason: Reason;
  /** For `identical`: all submissions of the group, at most 50, which `marking.markGroup` marks at once. */
  group: string[];
}

/** Decisions on a question after which its guide has what it needs to pass marks without review (docs/guide.md). */
const INSTRUCTIVE_DECISIONS = 30;
const MOST_OF_A_GROUP = 50;

/**
 * The open answers to a question in the order in which a teacher best decides on them: first the most instructive ones,
 * until the guide has INSTRUCTIVE_DECISIONS examples; then groups of identical answers, the largest first; then the
 * least certain marks.
 * @throws DomainFailure exam_not_found, not_found
 */
export const nextAnswers = async (
  services: Services,
  actor: Actor,
  request: { exam_id: string; question_id: string; limit: number },
): Promise<{ data: NextAnswer[] }> => {
  const { exam_id, question_id, limit } = request;
  const instituteId = actor.institute_id;
  const decided = await services.database.inTenant(instituteId, async (tx) => {
    const question = await findQuestionOfExam(tx, actor, exam_id, question_id);
    const marked = await readMarkedTexts(tx, instituteId, question, {
      limit: INSTRUCTIVE_DECISIONS,
      characters: 1,
    });
    return marked.length;
  });
  if (decided < INSTRUCTIVE_DECISIONS) {
    const { data } = await nextToMark(services, actor, { exam_id, question_id, limit });
    return {
      data: data.map(({ submission_id }) => ({ submission_id, reason: 'instructive', group: [] })),
    };
  }
  const groups = await answerGroups(services, actor, { exam_id, question_id, sameness: 'text', limit });
  const identical = groups.data.flatMap(({ submission_ids }): NextAnswer[] => {
    const [first] = submission_ids;
    if (first === undefined) return [];
    return [{ submission_id: first, reason: 'identical', group: submission_ids.slice(0, MOST_OF_A_GROUP) }];
  });
  if (identical.length >= limit) return { data: identical.slice(0, limit) };
  const grouped = new Set(groups.data.flatMap(({ submission_ids }) => submission_ids));
  const uncertain = await services.database.inTenant(instituteId, async (tx) => {
    const question = await findQuestionOfExam(tx, actor, exam_id, question_id);
    return readOpenAnswers(tx, instituteId, question, {
      order: 'confidence',
      limit: limit - identical.length,
      characters: 1,
      where: sql<boolean>`s.id <> all(${[...grouped]}::uuid[])`,
    });
  });
  return {
    data: [
      ...identical,
      ...uncertain.map(({ submission_id }): NextAnswer => ({
        submission_id,
        reason: 'uncertain',
        group: [],
      })),
    ],
  };
};
