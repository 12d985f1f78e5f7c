import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** A network with one input and one output. */
export interface Model {
  run(values: Float32Array, shape: readonly number[]): Promise<Float32Array>;
}

/**
 * One thread, because several workers share the cores. Without the arena the runtime gives memory back after each
 * picture; with it a process keeps 900 MB.
 */
const OPTIONS: InferenceSession.SessionOptions = {
  executionMode: 'sequential',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  enableMemPattern: false,
  // Only errors: the runtime would print warnings among the log lines of the worker.
  logSeverityLevel: 3,
};

export const loadModel = async (file: string): Promise<Model> => {
  const session = await InferenceSession.create(file, OPTIONS);
  const [input, output] = [session.inputNames[0], session.outputNames[0]];
  if (input === undefined || output === undefined) throw new Error('the network has no input or output');
  return {
    async run(values, shape) {
      const results = await session.run({ [input]: new Tensor('float32', values, shape) });
      const data = results[output]?.data;
      if (!(data instanceof Float32Array)) throw new Error('the network gave no floats');
      return data;
    },
  };
};

const folder = fileURLToPath(new URL('../weights', import.meta.url));

export const weights = (name: string): string => join(folder, name);

export const loadClasses = async (): Promise<string[]> => {
  const classes: unknown = JSON.parse(await readFile(weights('characters.json'), 'utf8'));
  if (!Array.isArray(classes)) throw new Error('characters.json is not a list');
  return classes.map(String);
};
