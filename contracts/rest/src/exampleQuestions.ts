import type {
  Question,
  QuestionEdit,
  QuestionEdited,
  QuestionInput,
  QuestionList,
  QuestionsAdd,
  QuestionsAdded,
} from './schemas/question.ts';
import type { RubricList, RubricsEdit, RubricsEdited } from './schemas/rubric.ts';

export const MCQ_ID = '5a1c2d3e-4f50-4b6c-8d7e-9f0a1b2c3d4e';
export const ESSAY_ID = '6b2d3e4f-5061-4c7d-9e8f-0a1b2c3d4e5f';
const NUMERIC_ID = 'f4b6c7d8-e9fa-4506-b778-9304a5b6c7d8';

export const optionIds = {
  A: 'af617283-94a5-40b1-8223-4e5f60718293',
  B: 'b0728394-a5b6-41c2-9334-5f60718293a4',
} as const;

const options = [
  { label: 'A', text: 'Speed' },
  { label: 'B', text: 'Velocity' },
] satisfies QuestionInput['options'];

const rubric = {
  partial_marking: true,
  criteria: [
    { name: 'Law', marks: 2, keywords: ['rate of change of momentum'] },
    { name: 'Unit', marks: 2, guidance: 'Accept the derivation in words.' },
  ],
} satisfies QuestionInput['rubric'];

const essayText = "State Newton's second law and derive the unit of force.";
const modelAnswer =
  'Force is the rate of change of momentum; one newton is one kilogram metre per second squared.';

export const questionInputs: QuestionInput[] = [
  {
    label: '1',
    type: 'mcq_single',
    text: 'Which of these is a vector?',
    max_marks: 1,
    negative_marks: 0.5,
    options,
    correct_options: ['B'],
  },
  { label: '2', type: 'long_answer', text: essayText, max_marks: 4, model_answer: modelAnswer, rubric },
];

const unsaid = {
  parent_label: null,
  section: 'A',
  negative_marks: 0,
  word_limit: null,
  expects_diagram: null,
  assess_language: null,
  tags: null,
  external_id: null,
  created_at: '2026-02-14T06:00:00.000Z',
  updated_at: '2026-02-14T06:00:00.000Z',
} satisfies Partial<Question>;

const listedChoice: Question = {
  ...unsaid,
  id: MCQ_ID,
  label: '1',
  type: 'mcq_single',
  text: 'Which of these is a vector?',
  max_marks: 1,
  negative_marks: 0.5,
  options: [
    { label: 'A', text: 'Speed', option_id: optionIds.A },
    { label: 'B', text: 'Velocity', option_id: optionIds.B },
  ],
  correct_options: ['B'],
};

const listedEssay: Question = {
  ...unsaid,
  id: ESSAY_ID,
  label: '2',
  type: 'long_answer',
  text: essayText,
  max_marks: 4,
};

const addedQuestion: QuestionInput = {
  label: '3',
  type: 'numeric',
  text: 'How many newtons give 2 kg an acceleration of 12 m/s²?',
  max_marks: 2,
  answer: 24,
};

const listedNumeric: Question = {
  ...unsaid,
  id: NUMERIC_ID,
  label: '3',
  type: 'numeric',
  text: addedQuestion.text,
  max_marks: 2,
  answer: 24,
  created_at: '2026-02-14T06:05:00.000Z',
  updated_at: '2026-02-14T06:05:00.000Z',
};

const questionEdit: QuestionEdit = { word_limit: 150, external_id: 'bank-7731', model_answer: null };

const questionEdited: QuestionEdited = {
  ...listedEssay,
  word_limit: 150,
  external_id: 'bank-7731',
  updated_at: '2026-02-14T06:10:00.000Z',
  warnings: [],
};

const questionList: QuestionList = { questions: [listedChoice, listedEssay] };
const questionsAdd: QuestionsAdd = { questions: [addedQuestion] };
const questionsAdded: QuestionsAdded = { questions: [listedNumeric], warnings: [] };

const rubricList: RubricList = {
  version: 1,
  questions: [{ question_id: ESSAY_ID, label: '2', rubric, model_answer: modelAnswer }],
};

const rubricsEdit: RubricsEdit = {
  questions: { [ESSAY_ID]: { rubric: null, model_answer: 'Force is the rate of change of momentum.' } },
};

const rubricsEdited: RubricsEdited = { version: 2, questions: [{ question_id: ESSAY_ID }] };

export const questionExamples: Readonly<Record<string, object>> = {
  QuestionEdit: questionEdit,
  QuestionEdited: questionEdited,
  QuestionList: questionList,
  QuestionsAdd: questionsAdd,
  QuestionsAdded: questionsAdded,
  RubricList: rubricList,
  RubricsEdit: rubricsEdit,
  RubricsEdited: rubricsEdited,
};
