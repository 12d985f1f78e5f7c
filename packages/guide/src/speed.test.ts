import { expect, test } from 'vitest';
import { fitGuide, predict } from './index.ts';

/** Answers of about 40 words of a vocabulary of 2,000. */
const answer = (seed: number): string => {
  return Array.from({ length: 40 }, (_, index) => {
    const word = ((seed * 131 + index * 977 + ((seed * index) % 61) * 37) % 2000).toString(36);
    return `${word}tion${word}`;
  }).join(' ');
};

test('a guide of 50 examples marks 1,000 answers in 50 ms of CPU, ten times that at most on a busy machine', () => {
  const examples = Array.from({ length: 50 }, (_, index) => ({
    id: String(index),
    text: answer(index),
    graderShare: 0.5,
    teacherShare: (index % 5) / 4,
  }));
  const answers = Array.from({ length: 1000 }, (_, index) => answer(index + 50));
  const mark = () => {
    const guide = fitGuide(examples, 4);
    for (const text of answers) predict(guide, { text, graderShare: 0.5 }, { maxMarks: 4, step: 0.5 });
  };
  mark();
  const started = process.cpuUsage();
  mark();
  const { user, system } = process.cpuUsage(started);
  const spent = (user + system) / 1000;
  if (process.env['SHOW_SPEED'] !== undefined) console.log(`${Math.round(spent)} ms`);
  expect(spent).toBeLessThan(500);
});
