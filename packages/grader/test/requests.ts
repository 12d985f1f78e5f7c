import type { AlignRequest, CallOptions, GraderOptions, JudgeRequest } from '../src/grader.ts';

export const exam = {
  subject: 'Biology',
  level: 'school',
  board: 'CBSE',
  class: '10',
  instructions: 'Accept any sensible wording.',
};

const box = { x: 0.1, y: 0.2, width: 0.8, height: 0.2 };

export const longQuestion = (question: Partial<JudgeRequest['question']> = {}): JudgeRequest['question'] => ({
  label: '3',
  type: 'long_answer',
  text: 'What is photosynthesis?',
  maxMarks: 3,
  options: [],
  correctOptions: [],
  answer: null,
  modelAnswer: 'Plants make glucose with light.',
  partialMarking: true,
  criteria: [
    { name: 'Definition \\frac{1}{2}', marks: 2, keywords: ['glucose'], guidance: 'Name the product.' },
    { name: 'Light', marks: 1, keywords: [], guidance: null },
  ],
  ...question,
});

export const optionQuestion = longQuestion({
  label: '1',
  type: 'mcq_single',
  text: 'Which planet is nearest to the sun?',
  maxMarks: 2,
  options: [
    { label: 'A', text: 'Venus' },
    { label: 'B', text: 'Mercury' },
  ],
  correctOptions: ['B'],
  modelAnswer: null,
  criteria: [],
});

export const typedAnswer = (text: string): JudgeRequest['answer'] => ({ text, legibility: null, blocks: [] });

export const writtenAnswer = (text: string, legibility = 1): JudgeRequest['answer'] => ({
  text,
  legibility,
  blocks: [{ page: 2, box, text }],
});

export const alignRequest: AlignRequest = {
  questions: [
    { number: 1, label: '1', section: 'A', type: 'long_answer', text: 'One?' },
    { number: 2, label: '2', section: 'A', type: 'long_answer', text: 'Two?' },
  ],
  pages: [
    {
      page: 1,
      legibility: 1,
      language: 'en',
      blocks: [
        { label: 'Q2', continues: false, text: 'two', crossedOut: false, box },
        { label: 'Q1', continues: false, text: 'struck', crossedOut: true, box },
        { label: 'Q1', continues: false, text: 'one', crossedOut: false, box },
      ],
    },
    {
      page: 2,
      legibility: 1,
      language: 'en',
      blocks: [{ label: null, continues: true, text: 'more of one', crossedOut: false, box }],
    },
  ],
};

/** What the labels of `alignRequest` say. */
export const alignedByLabels = [
  {
    number: 1,
    blocks: [
      { page: 1, block: 2 },
      { page: 2, block: 0 },
    ],
  },
  { number: 2, blocks: [{ page: 1, block: 0 }] },
];

/** A model's reply on a long answer, with an award for each criterion. */
export const judgedReply = (awards: object[], more: object = {}) => ({
  ...Object.fromEntries(
    awards.map((award, index) => [
      `criterion_${index + 1}`,
      { evidence: 'glucose', reason: 'It is there.', awarded: 1, certainty: 'certain', ...award },
    ]),
  ),
  addresses_grader: false,
  feedback: 'Good.',
  ...more,
});

export const within = (ms: number, signal = new AbortController().signal): CallOptions => ({
  signal,
  deadline: new Date(Date.now() + ms),
});

export const optionsFor = (baseUrl: string): Extract<GraderOptions, { provider: 'openai' }> => ({
  provider: 'openai',
  baseUrl,
  apiKey: 'sk-very-secret',
  model: 'some-model',
  maxConcurrentCalls: 4,
  callTimeoutSeconds: 20,
});
