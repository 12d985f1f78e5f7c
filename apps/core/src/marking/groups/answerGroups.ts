import { sql } from 'kysely';
import { identicalGroups, type Sameness } from '@evaluation/guide';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../../command/services.ts';
import { findQuestionOfExam, readOpenAnswers } from './openAnswers.ts';

/** Longer answers form no groups: paragraphs hardly ever repeat each other. */
const GROUPED_CHARACTERS = 500;

/** Answers of one call: at most 1 MB of text. */
const WINDOW = 2000;

interface AnswerGroup {
  text: string;
  /** The marks that the AI gave to the answers of the group, ascending. */
  awarded: number[];
  max: number;
  submission_ids: string[];
}

interface AnswerGroups {
  /** Groups of two or more, the largest first. */
  data: AnswerGroup[];
  /** Open answers that this call compared. */
  compared: number;
  /** Null when this call reached the end; otherwise the `after` of the next call. */
  next_after: string | null;
}

/**
 * Groups of open answers to a question that say the same, for one decision on all of them. Groups are made within a
 * window of answers; an answer of a later window forms a group of its own there.
 * @param request.sameness `text`: equal but for case, punctuation and spaces. `content`: the same content words
 * @throws DomainFailure exam_not_found, not_found
 */
export const answerGroups = async (
  services: Services,
  actor: Actor,
  request: {
    exam_id: string;
    question_id: string;
    sameness: Sameness;
    limit: number;
    after?: string | undefined;
  },
): Promise<AnswerGroups> => {
  const open = await services.database.inTenant(actor.institute_id, async (tx) => {
    const question = await findQuestionOfExam(tx, actor, request.exam_id, request.question_id);
    const isAfter = request.after === undefined ? sql`true` : sql`s.id > ${request.after}::uuid`;
    return readOpenAnswers(tx, actor.institute_id, question, {
      order: 'id',
      limit: WINDOW + 1,
      characters: GROUPED_CHARACTERS,
      where: sql<boolean>`char_length(r.extracted_answer) <= ${GROUPED_CHARACTERS} and ${isAfter}`,
    });
  });
  const window = open.slice(0, WINDOW);
  const answerOf = new Map(window.map((answer) => [answer.submission_id, answer]));
  const groups = identicalGroups(
    window.map(({ submission_id, text }) => ({ id: submission_id, text })),
    request.sameness,
  );
  return {
    data: groups.slice(0, request.limit).flatMap((ids) => {
      const answers = ids.flatMap((id) => answerOf.get(id) ?? []);
      const [first] = answers;
      if (first === undefined) return [];
      return [
        {
          text: first.text,
          awarded: [...new Set(answers.map(({ awarded }) => awarded))].toSorted((a, b) => a - b),
          max: first.max,
          submission_ids: ids,
        },
      ];
    }),
    compared: window.length,
    next_after: open.length > WINDOW ? (window.at(-1)?.submission_id ?? null) : null,
  };
};
