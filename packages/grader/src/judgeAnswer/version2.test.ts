import { expect, test } from 'vitest';
import type { CallEvidence, Judgement, JudgeRequest } from '../grader.ts';
import { exam, longQuestion, optionQuestion, typedAnswer, writtenAnswer } from '../openai/fixtures.ts';
import { askedToJudge } from '../promptHashes.ts';
import { resettleJudgement } from '../resettle.ts';

/* Recorded from the release before `judge_answer/3`: requests and the evidence of their judgements, with two looks. */

const evidence = (promptSha256: string, reply: unknown): CallEvidence => ({
  call: 'judge_answer',
  promptVersion: 'judge_answer/2',
  provider: 'openai',
  model: 'some-model',
  settings: { output: 'json_schema', confidence_table: '0:0,0.6:0.6,0.95:0.85,1:0.85' },
  promptSha256,
  images: [],
  reply: JSON.stringify(reply),
  refused: [],
});

const RECORDED: [
  name: string,
  request: JudgeRequest,
  calls: CallEvidence[],
  judgement: Partial<Judgement>,
][] = [
  [
    'a long answer',
    { exam, question: longQuestion(), answer: typedAnswer('Plants make glucose with light.') },
    [
      evidence('bf8ffde94aa5886199ad49a481c5fd07f487f109b8240e60833e5eaa2ad8d161', {
        criteria: [
          {
            criterion: 1,
            evidence: 'Plants make glucose with light.',
            reason: 'Criterion 1 was looked for in the answer.',
            awarded: 2,
            certainty: 'certain',
          },
          {
            criterion: 2,
            evidence: 'Plants make glucose with light.',
            reason: 'Criterion 2 was looked for in the answer.',
            awarded: 1,
            certainty: 'certain',
          },
        ],
        feedback: 'A clear answer. Give one more example next time.',
      }),
      evidence('3a0d0e4ccf4b3f812f2e5e8e24dddee42a2af6de94290d6a42b5088edaa744c7', {
        criteria: [
          {
            criterion: 2,
            evidence: 'Plants make glucose with light.',
            reason: 'Criterion 2 was looked for in the answer.',
            awarded: 1,
            certainty: 'certain',
          },
          {
            criterion: 1,
            evidence: 'Plants make glucose with light.',
            reason: 'Criterion 1 was looked for in the answer.',
            awarded: 2,
            certainty: 'certain',
          },
        ],
        feedback: 'A clear answer. Give one more example next time.',
      }),
    ],
    { awarded: 3, confidence: 0.85, feedback: 'A clear answer. Give one more example next time.' },
  ],
  [
    'an option',
    { exam, question: optionQuestion, answer: writtenAnswer('(b)') },
    [
      evidence('f0b9925522cc123c1011ec9838a86e3b1875e33b3cf831fa081b205d09b0deb6', {
        status: 'answered',
        evidence: '(b)',
        option_labels: ['B'],
        value: null,
        certainty: 'certain',
        feedback_if_right: 'Well done.',
        feedback_if_wrong: 'Read the question once more.',
      }),
    ],
    { awarded: 2, confidence: 0.85, feedback: 'Well done.' },
  ],
];

test.each(RECORDED)(
  '%s that was judged by judge_answer/2 is replayed to the same',
  (_, request, calls, judgement) => {
    expect(askedToJudge(request, calls)).toBe(true);
    expect(resettleJudgement(request, calls)).toMatchObject(judgement);
  },
);

test('a reply to one version is none to the other', () => {
  for (const [, request, calls] of RECORDED.slice(0, 1)) {
    const renamed = calls.map((call) => ({ ...call, promptVersion: 'judge_answer/3' }));
    expect(askedToJudge(request, renamed)).toBe(false);
    expect(() => resettleJudgement(request, renamed)).toThrow('outside its schema');
    const unknown = calls.map((call) => ({ ...call, promptVersion: 'judge_answer/1' }));
    expect(() => resettleJudgement(request, unknown)).toThrow('cannot settle replies to judge_answer/1');
  }
});
