import { expect, test } from 'vitest';
import { afterReload, newCopyFile, submissionKey, submittable, type CopyFile } from './copyFile.ts';

const file = (change: Partial<CopyFile>): CopyFile => ({
  ...newCopyFile(change.key ?? 'k', { name: 'a.pdf', size: 1 }),
  ...change,
});

test('after a reload sent files go on, and files whose content is gone are left out', () => {
  const kept = afterReload([
    file({ key: 'waiting', step: 'waiting' }),
    file({ key: 'sending', step: 'sending' }),
    file({ key: 'unsent', step: 'unsent', uploadId: 'u' }),
    file({ key: 'checking', step: 'checking', uploadId: 'u1' }),
    file({ key: 'submitting', step: 'submitting', uploadId: 'u2' }),
    file({ key: 'submitted', step: 'submitted', uploadId: 'u3' }),
  ]);
  expect(kept.map(({ key, step }) => `${key} ${step}`)).toEqual([
    'checking checking',
    'submitting ready',
    'submitted submitted',
  ]);
});

test('a submission is repeated with its key, and another candidate or a replacement has another key', () => {
  const ready = file({ uploadId: 'u', candidate: { id: 'c' } });
  expect(submissionKey(ready)).toBe(submissionKey({ ...ready, step: 'submitting' }));
  const others = [
    ready,
    { ...ready, replaces: true },
    { ...ready, candidate: { id: 'd' } },
    { ...ready, uploadId: 'v' },
  ];
  expect(new Set(others.map(submissionKey)).size).toBe(others.length);
  expect(submissionKey({ ...ready, candidate: { external_id: 'छात्र 17/ä' } })).toMatch(/^[\w.:-]{1,100}$/);
});

test('files without a candidate and two files for one candidate are not submitted', () => {
  const files = [
    file({ key: '1', step: 'ready', candidate: { id: 'a' } }),
    file({ key: '2', step: 'ready', candidate: { id: 'b' } }),
    file({ key: '3', step: 'ready', candidate: { id: 'b' } }),
    file({ key: '4', step: 'ready' }),
    file({ key: '5', step: 'checking', candidate: { id: 'c' } }),
  ];
  expect(submittable(files).map(({ key }) => key)).toEqual(['1']);
});
