/** Scripts in which the model server plays a certain kind of model. */
export { eachQuestion } from './eachQuestion.ts';
export { BOUGHT_FEEDBACK, injectedGrader } from './injectedGrader.ts';
export { misreading, noisyReader } from './noisyReader.ts';
