import { expect, test } from 'vitest';
import { mayCall, ROLES_OF_PROCEDURE } from './roles.ts';
import { coreRouter } from '../server/router.ts';

test('the table of roles has a row for each procedure of the public router and no other row', () => {
  const procedures = Object.keys(coreRouter._def.procedures)
    .filter((path) => path.startsWith('public.'))
    .map((path) => path.slice('public.'.length));
  expect(Object.keys(ROLES_OF_PROCEDURE).toSorted()).toEqual(procedures.toSorted());
});

test('a role or procedure that the table does not name is refused', () => {
  expect(mayCall('admin', 'public.exams.create')).toBe(true);
  expect(mayCall('examiner', 'public.exams.create')).toBe(false);
  expect(mayCall('teacher', 'public.exams.get')).toBe(false);
  expect(mayCall('admin', 'public.exams.ofALaterRelease')).toBe(false);
  expect(mayCall('admin', 'public.toString')).toBe(false);
});
