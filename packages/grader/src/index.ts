export * from './grader.ts';
export { createGrader } from './createGrader.ts';
export { readTextOnly } from './readTextOnly.ts';
