import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentsOf, type Given } from './life.ts';
import { runProgram } from './runProgram.ts';

/** Compiles and runs `NAME/main.go` beside the generated package `evaluation`. @returns what it printed */
export const runLifeInGo = async (folder: string, name: string, given: Given): Promise<string> => {
  await cp(join(import.meta.dirname, name, 'main.go'), join(folder, 'main.go'));
  await writeFile(join(folder, 'go.mod'), 'module life\n\ngo 1.23\n');
  return runProgram('go', ['run', '.', ...argumentsOf(given)], folder);
};
