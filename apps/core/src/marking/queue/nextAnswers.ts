import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { chooseNext, identicalGroups, type Sameness } from '@evaluation/guide';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../../command/services.ts';
import {
  findQuestionOfExam,
  readMarkedTexts,
  readOpenAnswers,
  type OpenAnswer,
  type QuestionOfExam,
} from './openAnswers.ts';
import { isOwnWork } from './ownShare.ts';

/*
 * Which answers to a question a teacher decides on next. Three choices among the open answers (openAnswers.ts):
 *
 *   instructive  those whose marks would teach the guide of the question most (`nextToMark`)
 *   identical    groups that say the same, for one decision on all of them (`answerGroups`)
 *   uncertain    those with the least certain marks
 *
 * `nextAnswers` puts them in one order for the marking screen. Choices are computed outside the transaction.
 */

interface OfQuestion {
  exam_id: string;
  question_id: string;
}

/** @param ownOnly whether work that is shared out to other people is left out */
const isWanted = (actor: Actor, { questionId }: QuestionOfExam, ownOnly = false): RawBuilder<boolean> =>
  ownOnly ? isOwnWork(actor, sql`${questionId}::uuid`) : sql<boolean>`true`;

const readIn = <T>(
  services: Services,
  actor: Actor,
  { exam_id, question_id }: OfQuestion,
  read: (tx: Tx, question: QuestionOfExam) => Promise<T>,
): Promise<T> =>
  services.database.inTenant(actor.institute_id, async (tx) =>
    read(tx, await findQuestionOfExam(tx, actor, exam_id, question_id)),
  );

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
  request: OfQuestion & { limit: number; own_only?: boolean },
): Promise<{ data: OpenAnswer[] }> => {
  const { open, marked } = await readIn(services, actor, request, async (tx, question) => ({
    open: await readOpenAnswers(tx, question, {
      order: 'sample',
      limit: MOST_COMPARED,
      characters: SHOWN_CHARACTERS,
      where: isWanted(actor, question, request.own_only),
    }),
    marked: await readMarkedTexts(tx, question, { limit: MOST_MARKED, characters: COMPARED_CHARACTERS }),
  }));
  const candidates = open.map(({ submission_id, text }) => ({
    id: submission_id,
    text: text.slice(0, COMPARED_CHARACTERS),
  }));
  const chosen = chooseNext(marked, candidates, request.limit);
  const answerOf = new Map(open.map((answer) => [answer.submission_id, answer]));
  return { data: chosen.flatMap((id) => answerOf.get(id) ?? []) };
};

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
 * Groups of open answers to a question that say the same. Groups are made within a window of answers; an answer of a
 * later window forms a group of its own there.
 * @param request.sameness `text`: equal but for case, punctuation and spaces. `content`: the same content words
 * @throws DomainFailure exam_not_found, not_found
 */
export const answerGroups = async (
  services: Services,
  actor: Actor,
  request: OfQuestion & { sameness: Sameness; limit: number; after?: string | undefined },
): Promise<AnswerGroups> => {
  const isAfter = request.after === undefined ? sql`true` : sql`s.id > ${request.after}::uuid`;
  const open = await readIn(services, actor, request, (tx, question) =>
    readOpenAnswers(tx, question, {
      order: 'id',
      limit: WINDOW + 1,
      characters: GROUPED_CHARACTERS,
      where: sql<boolean>`char_length(r.extracted_answer) <= ${GROUPED_CHARACTERS} and ${isAfter}`,
    }),
  );
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

/** Answers that are equal but for case, punctuation and spaces. */
interface AnswerVariant {
  text: string;
  submission_ids: string[];
}

interface NextAnswer {
  submission_id: string;
  /** Why the answer comes next. */
  reason: 'instructive' | 'identical' | 'uncertain';
  /**
   * Open answers with the same content words, among them this one, whose variant comes first. A teacher looks at the
   * variants before `marking.markGroup` marks them at once, because the order of words can change the sense. [] if the
   * answer is alone.
   */
  group: AnswerVariant[];
}

interface NextAnswers {
  data: NextAnswer[];
  /** The group of the answer that the request names. */
  group: AnswerVariant[];
}

/** Decisions on a question after which its guide has what it needs to pass marks without review (docs/guide.md). */
const INSTRUCTIVE_DECISIONS = 30;

/**
 * The open answers to a question in the order in which a teacher best decides on them: first the most instructive ones,
 * until the guide has INSTRUCTIVE_DECISIONS examples; then groups of answers that say the same, the largest first; then
 * the least certain marks.
 * @param request.submission_id the answer on the screen
 * @param request.own_only whether answers that are shared out to other people are left out, also of groups
 * @throws DomainFailure exam_not_found, not_found
 */
export const nextAnswers = async (
  services: Services,
  actor: Actor,
  request: OfQuestion & { limit: number; submission_id?: string | undefined; own_only: boolean },
): Promise<NextAnswers> => {
  const { limit, own_only: ownOnly } = request;
  const { decided, short } = await readIn(services, actor, request, async (tx, question) => ({
    decided: await readMarkedTexts(tx, question, { limit: INSTRUCTIVE_DECISIONS, characters: 1 }),
    short: await readShortAnswers(tx, question, isWanted(actor, question, ownOnly)),
  }));
  const groups = groupsOf(short);
  const groupOf = new Map(
    groups.flatMap((group) =>
      group.flatMap((variant) => variant.submission_ids.map((id) => [id, { group, variant }] as const)),
    ),
  );
  const next = (submission_id: string, reason: NextAnswer['reason']): NextAnswer => {
    const { group, variant } = groupOf.get(submission_id) ?? { group: [], variant: null };
    const others = group.filter((other) => other !== variant);
    return { submission_id, reason, group: variant === null ? [] : [variant, ...others] };
  };
  const { group } = next(request.submission_id ?? '', 'identical');
  if (decided.length < INSTRUCTIVE_DECISIONS) {
    const { data } = await nextToMark(services, actor, request);
    return { data: data.map(({ submission_id }) => next(submission_id, 'instructive')), group };
  }
  const identical = groups
    .slice(0, limit)
    .flatMap(([largest]) => largest?.submission_ids.slice(0, 1) ?? [])
    .map((id) => next(id, 'identical'));
  const uncertain = await readIn(services, actor, request, (tx, question) =>
    readOpenAnswers(tx, question, {
      order: 'confidence',
      limit: limit - identical.length,
      characters: 1,
      where: sql<boolean>`s.id <> all(${[...groupOf.keys()]}::uuid[]) and ${isWanted(actor, question, ownOnly)}`,
    }),
  );
  return {
    data: [...identical, ...uncertain.map(({ submission_id }) => next(submission_id, 'uncertain'))],
    group,
  };
};

/** Bounds of the groups on the marking screen: comparing so many takes about 25 ms, without other work. */
const MOST_GROUPED = 1000;
const SHORT_CHARACTERS = 150;

const readShortAnswers = (
  tx: Tx,
  question: QuestionOfExam,
  where: RawBuilder<boolean>,
): Promise<OpenAnswer[]> =>
  readOpenAnswers(tx, question, {
    order: 'id',
    limit: MOST_GROUPED,
    characters: SHORT_CHARACTERS,
    where: sql<boolean>`char_length(r.extracted_answer) <= ${SHORT_CHARACTERS} and ${where}`,
  });

/** Groups of answers with the same content words, the largest first. The most frequent variant of a group is first. */
const groupsOf = (answers: readonly OpenAnswer[]): AnswerVariant[][] => {
  const texts = new Map(answers.map(({ submission_id, text }) => [submission_id, text]));
  const named = (ids: readonly string[]) => ids.map((id) => ({ id, text: texts.get(id) ?? '' }));
  return identicalGroups(named([...texts.keys()]), 'content').map((ids) => {
    const variants = identicalGroups(named(ids), 'text');
    const grouped = new Set(variants.flat());
    const alone = ids.filter((id) => !grouped.has(id)).map((id) => [id]);
    return [...variants, ...alone].map((submission_ids) => ({
      text: texts.get(submission_ids[0] ?? '') ?? '',
      submission_ids,
    }));
  });
};
