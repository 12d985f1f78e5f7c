import * as z from 'zod/v4';
import { RubricList, RubricsEdit, RubricsEdited } from '../schemas/rubric.ts';
import { RUBRIC_RULES, about, c, ofExam } from './contract.ts';

export const rubrics = c.router({
  list: {
    method: 'GET',
    path: '/exams/:examId/rubrics',
    summary: 'Read the rubrics and model answers of the long answers, at the current version',
    pathParams: ofExam,
    responses: { 200: RubricList },
    metadata: about({ scope: 'evaluation:read', failures: ['exam_not_found'], provisional: ['rubric-list'] }),
  },
  edit: {
    method: 'PATCH',
    path: '/exams/:examId/rubrics',
    summary: 'Set or clear rubrics and model answers, all or none, in one new version',
    pathParams: ofExam,
    headers: {
      'if-match': z.string().optional().meta({
        description: 'The rubric version that the edit starts from; if the current one differs, 412.',
      }),
    },
    body: RubricsEdit,
    responses: { 200: RubricsEdited },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [
        'exam_not_found',
        'exam_finalized',
        'rubric_version_mismatch',
        'validation_failed',
        ...RUBRIC_RULES,
      ],
      provisional: ['submission-warnings'],
    }),
  },
});
