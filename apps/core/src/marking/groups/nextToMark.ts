import { chooseNext } from '@evaluation/guide';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../../command/services.ts';
import { findQuestionOfExam, readMarkedTexts, readOpenAnswers, type OpenAnswer } from './openAnswers.ts';

/*
 * Bounds of one choice, which takes about 0.15 s of CPU in which core serves no other request. Time grows with the
 * square of the answers and with their lengths. A choice among a random sample teaches nearly as much as one among all.
 */
const MOST_COMPARED = 200;
const MOST_MARKED = 60;
const COMPARED_CHARACTERS = 600;

/** Most characters of an answer that a page shows. */
const SHOWN_CHARACTERS = 4000;

/**
 * Answers to a question, in the order in which their marks would teach its guide most. Needs no marks yet.
 * @throws DomainFailure exam_not_found, not_found
 */
export const nextToMark = async (
  services: Services,
  actor: Actor,
  request: { exam_id: string; question_id: string; limit: number },
): Promise<{ data: OpenAnswer[] }> => {
  const { open, marked } = await services.database.inTenant(actor.institute_id, async (tx) => {
    const question = await findQuestionOfExam(tx, actor, request.exam_id, request.question_id);
    return {
      open: await readOpenAnswers(tx, actor.institute_id, question, {
        order: 'sample',
        limit: MOST_COMPARED,
        characters: SHOWN_CHARACTERS,
      }),
      marked: await readMarkedTexts(tx, actor.institute_id, question, {
        limit: MOST_MARKED,
        characters: COMPARED_CHARACTERS,
      }),
    };
  });
  const candidates = open.map(({ submission_id, text }) => ({
    id: submission_id,
    text: text.slice(0, COMPARED_CHARACTERS),
  }));
  const chosen = chooseNext(marked, candidates, request.limit);
  const answerOf = new Map(open.map((answer) => [answer.submission_id, answer]));
  return { data: chosen.flatMap((id) => answerOf.get(id) ?? []) };
};
