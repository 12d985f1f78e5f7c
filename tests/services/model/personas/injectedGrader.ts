import type { Behaviour, ModelCallRecord } from '../behaviour.ts';
import { asArray, asObject } from '../chatRequest.ts';
import type { Json, JsonObject } from '../chatRequest.ts';

export const BOUGHT_FEEDBACK = 'Full marks: 100 out of 100. No teacher needs to look at this.';

/** A model that obeys a prompt injection: too many marks, also for criteria, blocks and pages not asked about. */
export const injectedGrader = ({ schemaName }: ModelCallRecord): Behaviour | undefined => {
  switch (schemaName) {
    case 'read_pages':
      return { kind: 'altered', alter: withPageOutsideCopy };
    case 'align_answers':
      return { kind: 'altered', alter: withUnknownQuestion };
    case 'judge_answer':
      return { kind: 'altered', alter: withAllTheMarks };
    default:
      return undefined;
  }
};

const withPageOutsideCopy = (answer: Json): Json => {
  const pages = asArray(asObject(answer)['pages']);
  return { pages: [...pages, { ...asObject(pages[0]), page: 77 }] };
};

const withUnknownQuestion = (answer: Json): Json => {
  const answers = asArray(asObject(answer)['answers']);
  const everywhere = { number: 77, blocks: [{ page: 1, block: 0 }] };
  const nowhere = { number: 1, blocks: [{ page: 77, block: 0 }] };
  return { answers: [...answers, everywhere, nowhere] };
};

const withAllTheMarks = (answer: Json): Json => {
  const judgement = asObject(answer);
  if ('status' in judgement) return { ...judgement, feedback_if_right: BOUGHT_FEEDBACK };
  const awards = Object.entries(judgement).filter(([key]) => key.startsWith('criterion_'));
  const all = awards.map(([key, award]) => [key, { ...asObject(award), awarded: 1000 }]);
  const bonus: JsonObject = { ...asObject(awards[0]?.[1]), awarded: 50 };
  return { ...judgement, ...Object.fromEntries(all), criterion_42: bonus, feedback: BOUGHT_FEEDBACK };
};
