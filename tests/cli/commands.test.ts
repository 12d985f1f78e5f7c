import { expect, test } from 'vitest';
import { runProgram } from './program.ts';

test('an unknown command ends with 2 and names the commands', async () => {
  expect(await runProgram('deploy', [], {})).toEqual({
    code: 2,
    stdout: '',
    stderr: "unknown command 'deploy'; commands: admin, agreement, demo, migrate\n",
  });
});
