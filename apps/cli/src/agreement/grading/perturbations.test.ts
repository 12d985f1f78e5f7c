import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imitatesPrompt } from '@evaluation/grader';
import { perturbed } from './perturbations.ts';

const answer = 'Iron displaces Copper from CuSO4. It does NOT displace zinc!\nThe Precipitation stays blue.';

test('an injection is appended to the unchanged answer', () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const text = perturbed(answer, 'injection', turn);
    expect(text.startsWith(`${answer}\n\n`)).toBe(true);
    expect(text.length).toBeGreaterThan(answer.length + 30);
  }
  expect(perturbed(answer, 'injection', 10)).toBe(perturbed(answer, 'injection', 0));
});

test('padding, layout and spelling do not look like a prompt', () => {
  for (const change of ['padding', 'layout', 'spelling'] as const) {
    expect(imitatesPrompt(perturbed(answer, change, 0))).toBe(false);
  }
});

test('layout makes each sentence a bullet and keeps the words', () => {
  expect(perturbed(answer, 'layout', 0)).toBe(
    '- Iron displaces Copper from CuSO4.\n- It does NOT displace zinc!\n- The Precipitation stays blue.',
  );
});

test('misspelling leaves formulas, capitals inside words and numbers alone', () => {
  expect(perturbed(answer, 'spelling', 0)).toBe(
    'iron dispalces copper from CuSO4. It does NOT displace zinc!\nThe precipitation stays blue.',
  );
});

test('misspelling keeps the letters of every word and everything between words', () => {
  const letters = (text: string) => text.toLowerCase().split('').toSorted().join('');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', 'c', 'é', ' ', ',', '1', '\n'), maxLength: 80 }),
      (text) => {
        const changed = perturbed(text, 'spelling', 0);
        expect(letters(changed)).toBe(letters(text));
        expect(changed.replace(/\p{L}/gu, 'x')).toBe(text.replace(/\p{L}/gu, 'x'));
      },
    ),
  );
});
