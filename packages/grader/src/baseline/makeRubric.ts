import type { MadeRubric, MakeRubricRequest } from '../grader.ts';
import { contentWords } from './words.ts';

const MOST_KEYWORDS = 12;
/** Longer than any word. */
const KEYWORD_LENGTH = 60;

/**
 * The only rubric that words alone allow: whether the answer speaks of what the question asks. It tells an answer to
 * another question from one to this, and no more; every mark that rests on it goes to a teacher anyway.
 */
export function rubricFromWords({ question }: MakeRubricRequest): MadeRubric {
  const keywords = contentWords(question.text)
    .filter((word) => word.length <= KEYWORD_LENGTH)
    .slice(0, MOST_KEYWORDS);
  // "Why?": nothing can be looked for, neither in these words nor in those of a criterion made of them.
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
}
