/** Characters that the model server plays: each is a script, or a part of one. */
export { eachQuestion } from './eachQuestion.ts';
export { BOUGHT_FEEDBACK, injectedGrader } from './injectedGrader.ts';
export { misreading, NO_OPTION, noisyReader, NOISY_LEGIBILITY, NOT_WRITTEN } from './noisyReader.ts';
