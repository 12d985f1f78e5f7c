import { expect, test } from 'vitest';
import { splitCopies, type SharedCandidate } from './splitCopies.ts';

const candidates = (...people: (string | null)[]): SharedCandidate[] =>
  people.map((staff_id, index) => ({ candidate_id: `c${index}`, staff_id }));

const sharesOf = (given: ReturnType<typeof splitCopies>) =>
  Object.fromEntries(given.map(({ candidate_id, staff_id }) => [candidate_id, staff_id]));

test('gives each person so many candidates, and leaves the rest to all', () => {
  const given = splitCopies(candidates(null, null, null, null, null), [
    { staff_id: 'asha', copies: 3 },
    { staff_id: 'ben', copies: 1 },
  ]);
  expect(sharesOf(given)).toEqual({ c0: 'asha', c1: 'asha', c2: 'asha', c3: 'ben' });
});

test('keeps candidates with their person up to the new number, and moves no others', () => {
  const given = splitCopies(candidates('asha', 'ben', 'asha', 'ben', 'asha', null), [
    { staff_id: 'asha', copies: 2 },
    { staff_id: 'ben', copies: 2 },
    { staff_id: 'chitra', copies: 2 },
  ]);
  expect(sharesOf(given)).toEqual({
    c0: 'asha',
    c1: 'ben',
    c2: 'asha',
    c3: 'ben',
    c4: 'chitra',
    c5: 'chitra',
  });
});

test('takes all from a person who is not named any more, and gives no candidate twice', () => {
  const given = splitCopies(candidates('asha', 'asha'), [{ staff_id: 'ben', copies: 9 }]);
  expect(sharesOf(given)).toEqual({ c0: 'ben', c1: 'ben' });
  expect(splitCopies(candidates('asha'), [])).toEqual([]);
});
