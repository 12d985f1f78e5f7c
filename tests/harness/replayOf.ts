import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBundle, replay, type Outcome, type Replayed } from '@evaluation/grader/evidence';
import type { Result } from '@evaluation/rest-contract/schemas';
import { runProgram } from '../cli/program.ts';

const FOUND_BY = ['DATA_DIR', 'CORE_URL', 'CORE_CONTROL_TOKEN'];

/**
 * A submission's evidence, written by the admin program.
 * @param more further options of the command
 */
export const evidenceOf = async (
  environment: Record<string, string>,
  submissionId: string,
  ...more: string[]
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'));
  try {
    const file = join(folder, 'evidence.json');
    const written = await runProgram(
      'admin',
      ['evidence', '--submission', submissionId, '--out', file, ...more],
      Object.fromEntries(Object.entries(environment).filter(([name]) => FOUND_BY.includes(name))),
    );
    if (written.code !== 0) throw new Error(`no evidence was written: ${written.stderr}`);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export const replayOf = async (...args: Parameters<typeof evidenceOf>): Promise<Replayed> =>
  replay(readBundle(await evidenceOf(...args)));

/** The part of a result that a replay recomputes. */
export const marksOf = ({ status, needs_review, review_reasons, totals, questions }: Result): Outcome => ({
  submission: { status, needs_review, review_reasons, totals },
  questions: questions.map((question) => {
    if (question.status === 'pending' || question.status === 'cancelled' || question.source === 'ai_reviewed')
      throw new Error(`question ${question.label} has no result of a run`);
    return {
      question_id: question.question_id,
      status: question.status,
      awarded: question.awarded,
      max: question.max,
      source: question.source,
      confidence: question.confidence,
      needs_review: question.needs_review,
      review_reasons: question.review_reasons,
      extracted_answer: question.extracted_answer ?? null,
      feedback: question.feedback,
      criteria: question.criteria,
      error: question.error,
    };
  }),
});
