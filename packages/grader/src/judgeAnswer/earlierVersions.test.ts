import { expect, test } from 'vitest';
import type { CallEvidence, Judgement, JudgeRequest } from '../grader.ts';
import { exam, longQuestion, optionQuestion, typedAnswer, writtenAnswer } from '../../test/requests.ts';
import { askedToJudge } from '../promptHashes.ts';
import { resettleJudgement } from '../resettle.ts';
import { VERSION as version } from './prompt.ts';

/* Requests and evidence of judgements, with two looks, recorded from earlier releases. */

const evidence = (promptSha256: string, reply: unknown, promptVersion = 'judge_answer/2'): CallEvidence => ({
  call: 'judge_answer',
  promptVersion,
  provider: 'openai',
  model: 'some-model',
  settings: { output: 'json_schema', confidence_table: '0:0,0.6:0.6,0.95:0.85,1:0.85' },
  promptSha256,
  images: [],
  reply: JSON.stringify(reply),
  refused: [],
});

const award = (awarded: number) => ({
  evidence: 'Plants make glucose with light.',
  reason: 'It was looked for in the answer.',
  awarded,
  certainty: 'certain',
});
/** An award in the list of version 2. */
const listedAward = (criterion: number, awarded: number) => ({
  criterion,
  ...award(awarded),
  reason: `Criterion ${criterion} was looked for in the answer.`,
});
const FEEDBACK = 'A clear answer. Give one more example next time.';
const LOOK_3 = { criterion_1: award(2), criterion_2: award(1), feedback: FEEDBACK };
const READING = {
  status: 'answered',
  evidence: '(b)',
  option_labels: ['B'],
  value: null,
  certainty: 'certain',
  feedback_if_right: 'Well done.',
  feedback_if_wrong: 'Read the question once more.',
};
/** The prompt of an objective question was the same in both versions. */
const READING_SHA256 = 'f0b9925522cc123c1011ec9838a86e3b1875e33b3cf831fa081b205d09b0deb6';

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
        criteria: [listedAward(1, 2), listedAward(2, 1)],
        feedback: FEEDBACK,
      }),
      evidence('3a0d0e4ccf4b3f812f2e5e8e24dddee42a2af6de94290d6a42b5088edaa744c7', {
        criteria: [listedAward(2, 1), listedAward(1, 2)],
        feedback: FEEDBACK,
      }),
    ],
    { awarded: 3, confidence: 0.85, feedback: FEEDBACK },
  ],
  [
    'an option',
    { exam, question: optionQuestion, answer: writtenAnswer('(b)') },
    [evidence(READING_SHA256, READING)],
    { awarded: 2, confidence: 0.85, feedback: 'Well done.' },
  ],
  [
    'a long answer, by criteria as keys',
    { exam, question: longQuestion(), answer: typedAnswer('Plants make glucose with light.') },
    [
      evidence('2786d5c5bfc954f4e4253fbdd32dedf7fd921f98d3b3d7002b2b359f6652f82e', LOOK_3, 'judge_answer/3'),
      evidence('89f5fcb2fc2825c2598fb5bf920f27dd9d7eaa2424cb6cfb3c3da5f5b24032ed', LOOK_3, 'judge_answer/3'),
    ],
    { awarded: 3, confidence: 0.85, reviewReasons: [], feedback: FEEDBACK },
  ],
  [
    'an option, by the same prompt',
    { exam, question: optionQuestion, answer: writtenAnswer('(b)') },
    [evidence(READING_SHA256, READING, 'judge_answer/3')],
    { awarded: 2, confidence: 0.85, reviewReasons: [], feedback: 'Well done.' },
  ],
];

test.each(RECORDED)(
  '%s judged by an earlier version replays to the same judgement',
  (_, request, calls, judgement) => {
    expect(askedToJudge(request, calls)).toBe(true);
    expect(resettleJudgement(request, calls)).toMatchObject(judgement);
  },
);

test('a reply to one version is refused by the other', () => {
  for (const [, request, calls] of RECORDED.slice(0, 1)) {
    for (const promptVersion of ['judge_answer/3', version]) {
      const renamed = calls.map((call) => ({ ...call, promptVersion }));
      expect(askedToJudge(request, renamed)).toBe(false);
      expect(() => resettleJudgement(request, renamed)).toThrow('outside its schema');
    }
    const unknown = calls.map((call) => ({ ...call, promptVersion: 'judge_answer/1' }));
    expect(() => resettleJudgement(request, unknown)).toThrow('cannot settle replies to judge_answer/1');
  }
});
