import { expect, test } from 'vitest';
import { AgreementFailure } from './failure.ts';
import { readOptions } from './options.ts';

test('options have defaults', () => {
  expect(readOptions(['--data', 'x.jsonl'])).toEqual({
    data: 'x.jsonl',
    json: false,
    repeats: 1,
    sample: 30,
    concurrency: 6,
    fresh: false,
    choose: false,
    target: 0.95,
    marksOnly: false,
  });
});

test('numbers of marks are sorted and taken once', () => {
  expect(readOptions(['--data', 'x', '--learn', '20,5,20'])?.learn).toEqual([5, 20]);
});

test.each([
  ['no data', [], '--data'],
  ['a grader that does not exist', ['--data', 'x', '--grader', 'gpt'], '--grader'],
  ['no repetition at all', ['--data', 'x', '--repeats', '0'], '--repeats'],
  ['a number in another notation', ['--data', 'x', '--sample', '1e2'], '--sample'],
  ['no number of marks', ['--data', 'x', '--learn', '5,ten'], '--learn'],
  ['a target in per cent', ['--data', 'x', '--target', '95'], '--target'],
  ['an option that does not exist', ['--data', 'x', '--resume'], '--resume'],
])('%s is refused with exit code 2', (_what, argv, says) => {
  expect(() => readOptions(argv)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(says) }),
  );
  expect(() => readOptions(argv)).toThrow(AgreementFailure);
});
