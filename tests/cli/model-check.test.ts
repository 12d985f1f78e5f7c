import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { beforeEach, expect, test } from 'vitest';
import { runProgram, type Outcome } from './program.ts';

const model = closedAfterTests(await startModelServer());
beforeEach(() => model.reset());

const check = (more: Record<string, string> = {}, ...args: string[]): Promise<Outcome> =>
  runProgram('admin', ['model', 'check', ...args], {
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-never-shown',
    GRADER_MODEL: 'm',
    ...more,
  });

test('`model check` prints every check of each lane, says that the lane takes runs, and exits with 0', async () => {
  const { code, stdout, stderr } = await check({}, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const checks = (...names: string[]) =>
    names.map((name) => expect.objectContaining({ check: name, outcome: 'passed' }));
  expect(JSON.parse(stdout)).toEqual({
    grader: 'openai',
    model: 'm',
    endpoint: new URL(model.baseUrl).origin,
    lanes: [
      { lane: 'copy', takes_runs: true, checks: checks('endpoint', 'schema', 'vision', 'context') },
      { lane: 'typed', takes_runs: true, checks: checks('endpoint', 'schema', 'context') },
    ],
  });
  expect(stdout).not.toContain('sk-never');
});

test('`model check` of a model that cannot read images prints lane, check, reason and remedy, and exits with 1', async () => {
  model.behave([{ behaviour: { kind: 'blind' } }]);
  const { code, stdout, stderr } = await check();
  expect(code).toBe(1);
  expect(stdout).toContain('typed lane: takes runs\n');
  expect(stdout).toMatch(
    /copy lane: takes no runs\n[\s\S]*vision +failed +blind: it does not see images; .*--mmproj/,
  );
  expect(stderr).toBe('error: With this model the copy lane would take no runs.\n');
});

test('`model check` of an unreachable endpoint, and of the baseline, needs no service', async () => {
  const gone = await check({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, '--json');
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.stderr)).toMatchObject({ error: { code: 'model_unavailable' } });
  const baseline = await check({ GRADER: 'baseline' });
  expect(baseline).toEqual({
    code: 0,
    stdout: 'The offline baseline marks: there is no model to check.\n',
    stderr: '',
  });
});
