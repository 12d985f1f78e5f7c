import { expect, test } from 'vitest';
import { withTeacherMark } from './teacherMark.ts';

const BOX = { x: 0.1, y: 0.1, width: 0.5, height: 0.05 };
const sign = (kind: 'mark' | 'tick' | 'cross' | 'comment', text: string) => ({
  page: 1,
  box: BOX,
  kind,
  text,
});

const COPY: Parameters<typeof withTeacherMark>[0] = {
  question: { label: '3', max_marks: 4 },
  result: {
    status: 'graded',
    awarded: 2.5,
    feedback: 'The units are missing.',
    needs_review: true,
    criteria: [
      { name: 'Law', awarded: 2, max: 2, reason: 'Stated.' },
      { name: 'Example', awarded: 0.5, max: 1, reason: 'Half of it.' },
      { name: 'Units', awarded: 0, max: 1, reason: 'No units.' },
    ],
    annotations: [
      sign('mark', 'Q3  2.5/4'),
      sign('tick', 'Law'),
      sign('comment', '0.5/1 Example: Half of it.'),
      sign('cross', '0/1 Units: No units.'),
    ],
  },
};

const override = (change: object) => ({
  question_id: 'q',
  awarded: 2.5,
  reason: null,
  criteria: null,
  feedback: null,
  ...change,
});
const signs = (drawn: ReturnType<typeof withTeacherMark>) =>
  drawn.annotations.map(({ kind, text }) => [kind, text]);

test('the same mark contradicts nothing', () => {
  expect(withTeacherMark(COPY, override({}))).toEqual({ ...COPY.result, needs_review: false });
});

test('a criterion with another mark gets its sign without the words of the AI, and the others keep theirs', () => {
  const criteria = [
    { name: 'Law', awarded: 2 },
    { name: 'Example', awarded: 0 },
    { name: 'Units', awarded: 1 },
  ];
  const drawn = withTeacherMark(COPY, override({ awarded: 3, criteria }));
  expect(signs(drawn)).toEqual([
    ['mark', 'Q3  3/4'],
    ['tick', 'Law'],
    ['cross', '0/1 Example'],
    ['tick', 'Units'],
  ]);
  expect(drawn.criteria).toEqual([
    { name: 'Law', awarded: 2, max: 2, reason: 'Stated.' },
    { name: 'Example', awarded: 0, max: 1, reason: null },
    { name: 'Units', awarded: 1, max: 1, reason: null },
  ]);
});

test('a higher sum keeps ticks, and a lower one keeps crosses and remarks', () => {
  expect(signs(withTeacherMark(COPY, override({ awarded: 4 })))).toEqual([
    ['mark', 'Q3  4/4'],
    ['tick', 'Law'],
  ]);
  const lower = withTeacherMark(COPY, override({ awarded: 1 }));
  expect(signs(lower).map(([kind]) => kind)).toEqual(['mark', 'comment', 'cross']);
  expect(lower.criteria.map(({ awarded, reason }) => [awarded, reason])).toEqual([
    [null, null],
    [null, 'Half of it.'],
    [null, 'No units.'],
  ]);
});

test('marks of the criteria of another rubric do not count, and the text of the teacher stands for the feedback', () => {
  const drawn = withTeacherMark(
    COPY,
    override({ awarded: 4, criteria: [{ name: 'Other', awarded: 4 }], feedback: 'Well done.' }),
  );
  expect(drawn).toMatchObject({ awarded: 4, feedback: 'Well done.' });
  expect(signs(drawn)).toHaveLength(2);
});
