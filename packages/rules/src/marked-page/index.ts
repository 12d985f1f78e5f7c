/**
 * What stands on a marked page and in the column beside it. The marking screen and the checked copy are laid out and
 * drawn by these rules, so that they agree.
 */
export * from './annotations.ts';
export * from './geometry.ts';
export * from './ink.ts';
export * from './layout.ts';
export * from './screenLetters.ts';
export * from './shapes.ts';
export * from './sheetShapes.ts';
export * from './teacherSigns.ts';
export * from './typesetter.ts';
