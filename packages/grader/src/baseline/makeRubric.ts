import type { MadeRubric, MakeRubricRequest } from '../grader.ts';
import { contentWords } from './words.ts';

const MOST_KEYWORDS = 12;
const KEYWORD_LENGTH = 60;

/**
 * A rubric from words alone: whether the answer contains the words of the question. It can only show that an answer
 * belongs to another question. Each mark from this rubric needs a teacher's review.
 */
export const rubricFromWords = ({ question }: MakeRubricRequest): MadeRubric => {
  const keywords = contentWords(question.text)
    .filter((word) => word.length <= KEYWORD_LENGTH)
    .slice(0, MOST_KEYWORDS);
  // A question such as "Why?" has no content words, and a criterion made of it would have none either.
  if (keywords.length === 0) {
    return [{ name: 'Answer', marks: question.maxMarks, keywords, guidance: null }];
  }
  return [
    {
      name: 'Speaks of what is asked',
      marks: question.maxMarks,
      keywords,
      guidance:
        'Made offline from the words of the question; set a rubric or a model answer to mark by content.',
    },
  ];
};
