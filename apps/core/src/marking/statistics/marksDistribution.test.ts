import { afterAll, expect, test } from 'vitest';
import { makeGuideExam, markAsDeserved } from '../../../test/guideExam.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { readResultOf } from '../../submissions/results.ts';
import { readMarksDistribution } from './marksDistribution.ts';

const { services, client, close } = await newTestCore();
afterAll(close);

test('the distribution counts the marks that count', async () => {
  const guide = await makeGuideExam(client, { candidates: 12 });
  await markAsDeserved(client, guide, 4);
  await client.query(`update submissions set status = 'failed' where id = $1`, [guide.submissions[11]?.id]);
  const results = await Promise.all(
    guide.submissions
      .slice(0, 11)
      .map(({ id }) =>
        services.database.inTenant(guide.institute, (tx) => readResultOf(tx, guide.institute, id)),
      ),
  );
  const shown = await readMarksDistribution(services, guide.actor, guide.exam);
  expect(shown).toMatchObject({ counted: 11, live: 12, is_complete: true });
  const percentages = results.map(({ totals }) => totals.percentage ?? 0);
  expect(shown.totals.mean).toBeCloseTo(percentages.reduce((sum, value) => sum + value, 0) / 11, 6);
  expect(shown.totals.bins).toHaveLength(20);
  for (const [place, question] of shown.questions.entries()) {
    const marks = results.map(({ questions }) => questions[place]?.awarded ?? 0);
    expect(question.n).toBe(11);
    expect(question.mean).toBeCloseTo(marks.reduce((sum, mark) => sum + mark, 0) / 11, 9);
    expect(question.bins.reduce((sum, { count }) => sum + count, 0)).toBe(11);
    expect(question.facility).toBeCloseTo((question.mean ?? NaN) / question.max, 9);
    const others = results.map(({ totals }, at) => (totals.awarded ?? 0) - (marks[at] ?? 0));
    expect(question.discrimination).toBeCloseTo(correlation(marks, others), 6);
  }
});

const correlation = (a: readonly number[], b: readonly number[]): number => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const product = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, at) => sum + (value - mean(one)) * ((other[at] ?? 0) - mean(other)), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
};
