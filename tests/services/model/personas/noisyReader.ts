import type { Behaviour, ModelCallRecord } from '../behaviour.ts';
import { asArray, asObject, asText } from '../chatRequest.ts';
import type { Json, JsonObject } from '../chatRequest.ts';

/** Legibility that the model reports. */
const NOISY_LEGIBILITY = 0.4;
/** A label that no question's options have. */
const NO_OPTION = 'Z';
/** A quotation that is in no answer. */
const NOT_WRITTEN = 'as everybody in the whole world would surely say';

/** Misreads letters and digits, is unsure, quotes words that are not in the answer, names options that do not exist. */
export const noisyReader = ({ schemaName }: ModelCallRecord): Behaviour | undefined => {
  switch (schemaName) {
    case 'read_pages':
      return { kind: 'altered', alter: misread };
    case 'judge_answer':
      return { kind: 'altered', alter: guess };
    default:
      return undefined;
  }
};

/** The misread text: "Modern times, 24" becomes "Modem tirnes, 29". */
export const misreading = (text: string): string =>
  text.replaceAll('m', 'rn').replaceAll('4', '9').replaceAll('ei', 'ie');

const misread = (answer: Json): Json => ({
  pages: asArray(asObject(answer)['pages'])
    .map(asObject)
    .map((page) => ({
      ...page,
      legibility: NOISY_LEGIBILITY,
      blocks: asArray(page['blocks'])
        .map(asObject)
        .map((block): JsonObject => ({ ...block, text: misreading(asText(block['text'])) })),
    })),
});

const guess = (answer: Json): Json => {
  const judgement = asObject(answer);
  const invented = { evidence: NOT_WRITTEN, certainty: 'unsure' };
  if ('status' in judgement) {
    const chosen = asArray(judgement['option_labels']);
    return { ...judgement, ...invented, option_labels: chosen.map(() => NO_OPTION) };
  }
  const awards = Object.entries(judgement)
    .filter(([key]) => key.startsWith('criterion_'))
    .map(([key, award]) => [key, { ...asObject(award), ...invented }]);
  return { ...judgement, ...Object.fromEntries(awards) };
};
