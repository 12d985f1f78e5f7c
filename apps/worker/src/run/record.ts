import {
  isUnknownProcedure,
  type CoreClient,
  type Recorded,
  type RecordedBatch,
} from '@evaluation/core-client';

type Grading = CoreClient['grading'];
type Held = Parameters<Grading['heartbeat']['mutate']>[0]['held'];

/** Records a batch; one record at a time with a core of release 0.1.0. */
export const record = async (
  grading: Grading,
  held: Held,
  batch: RecordedBatch,
  signal?: AbortSignal,
): Promise<Recorded> => {
  try {
    return await grading.record.mutate({ held, ...batch }, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!isUnknownProcedure(error)) throw error;
    return recordOneByOne(grading, held, batch);
  }
};

const recordOneByOne = async (grading: Grading, held: Held, batch: RecordedBatch): Promise<Recorded> => {
  const { step, pages = [], alignment, questions = [], used, find = [], completion } = batch;
  if (step !== undefined) await grading.recordStep.mutate({ held, step });
  for (const read of pages) await grading.recordPages.mutate({ held, ...read, used });
  if (alignment !== undefined) await grading.recordAlignment.mutate({ held, ...alignment, used });
  const standing: Recorded['standing'] = [];
  for (const question of questions) {
    const { standing: replacement } = await grading.recordQuestion.mutate({ held, ...question, used });
    if (replacement !== null) standing.push({ ...replacement, question_id: question.result.question_id });
  }
  const found: Recorded['found'] = [];
  for (const key of find) {
    const judgement = await findJudgement(grading, held, key);
    if (judgement !== null) found.push({ key, ...judgement });
  }
  const completed = completion !== undefined && standing.length === 0;
  if (completed) await grading.complete.mutate({ held, completion });
  return { standing, found, completed };
};

/** null also if core does not have the procedure. */
const findJudgement = async (grading: Grading, held: Held, key: string) => {
  try {
    return await grading.findJudgement.query({ held, key });
  } catch (error) {
    if (isUnknownProcedure(error)) return null;
    throw error;
  }
};
