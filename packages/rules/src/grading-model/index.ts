/** Types of a paper and its answers that core, evidence, grader and worker share. */
export { ExamContext } from './examContext.ts';
export type { GivenAnswer } from './givenAnswer.ts';
export { MarkedQuestion } from './markedQuestion.ts';
export { Box, HARDLY_LEGIBLE, PageReading, ReadBlock, RecordedPage, SeenPage, Turn } from './pageReading.ts';
