import * as z from 'zod/v4';
import { Deleted, givenId } from '../schemas/primitives.ts';
import {
  QuestionEdit,
  QuestionEdited,
  QuestionList,
  QuestionListQuery,
  QuestionsAdd,
  QuestionsAdded,
} from '../schemas/question.ts';
import { RUBRIC_RULES, about, c, ofExam } from './contract.ts';

const ofQuestion = z.object({ examId: givenId, questionId: givenId });

export const questions = c.router({
  list: {
    method: 'GET',
    path: '/exams/:examId/questions',
    summary: 'List the questions of an exam in paper order',
    pathParams: ofExam,
    query: QuestionListQuery,
    responses: { 200: QuestionList },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['exam_not_found', 'validation_failed'],
      provisional: ['question-list-items'],
    }),
  },
  add: {
    method: 'POST',
    path: '/exams/:examId/questions',
    summary: 'Add questions at the end of a draft paper, all or none',
    pathParams: ofExam,
    body: QuestionsAdd,
    responses: { 201: QuestionsAdded },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [
        'exam_not_found',
        'exam_finalized',
        'conflict',
        'validation_failed',
        'unknown_option_label',
        ...RUBRIC_RULES,
      ],
      provisional: ['question-add-edit', 'question-list-items', 'submission-warnings'],
    }),
  },
  edit: {
    method: 'PATCH',
    path: '/exams/:examId/questions/:questionId',
    summary: 'Edit a question; of an open exam its texts, rubric and model answer only',
    pathParams: ofQuestion,
    body: QuestionEdit,
    responses: { 200: QuestionEdited },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [
        'exam_not_found',
        'not_found',
        'exam_finalized',
        'conflict',
        'validation_failed',
        'unknown_option_label',
        ...RUBRIC_RULES,
      ],
      provisional: ['question-add-edit', 'question-list-items', 'submission-warnings'],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/exams/:examId/questions/:questionId',
    summary: 'Delete a question of a draft exam',
    pathParams: ofQuestion,
    responses: { 200: Deleted },
    metadata: about({
      scope: 'evaluation:write',
      failures: ['exam_not_found', 'not_found', 'exam_finalized', 'conflict'],
    }),
  },
});
