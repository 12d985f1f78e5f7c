export * from './grader.ts';
export { createGrader } from './createGrader.ts';
export { noticeOf } from './noticeOf.ts';
export { readTextOnly } from './readTextOnly.ts';
