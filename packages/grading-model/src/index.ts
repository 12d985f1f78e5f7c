/** What core, evidence, grader and worker say of a paper and its answers: each written here once. */
export { ExamContext } from './examContext.ts';
export type { GivenAnswer } from './givenAnswer.ts';
export { MarkedQuestion } from './markedQuestion.ts';
export { Box, PageReading, ReadBlock } from './pageReading.ts';
