import { compareTranscribed, markTranscribed } from '@evaluation/rules';
import type { ObjectiveKey } from '@evaluation/rules';
import type { JudgeRequest, Judgement } from '../grader.ts';
import { annotate } from '../annotations.ts';

export interface ObjectiveReading {
  optionLabels: string[];
  value: string | null;
  evidence: string | null;
}

export const objectiveKey = (question: JudgeRequest['question']): ObjectiveKey | null => {
  switch (question.type) {
    case 'mcq_single':
    case 'mcq_multi':
    case 'true_false':
      return { type: question.type, correct_options: question.correctOptions };
    case 'numeric':
      return { type: 'numeric', answer: question.answer ?? [] };
    case 'one_word':
      return { type: 'one_word', answer: String(question.answer ?? '') };
    default:
      return null;
  }
};

/** Decides a reading by the key, in code. Negative marks do not apply on a copy (docs/api/questions.md#fields). */
export const decideObjective = (
  { question, answer }: JudgeRequest,
  key: ObjectiveKey,
  reading: ObjectiveReading,
): Pick<Judgement, 'awarded' | 'criteria' | 'annotations'> & { correct: boolean | null } => {
  const mark = markTranscribed(key, given(reading), { maxMarks: question.maxMarks, negativeMarks: 0 });
  const read = 'correct_options' in key ? reading.optionLabels.join(', ') : (reading.value ?? '');
  const criteria = [
    {
      name: 'Answer',
      awarded: mark.awarded,
      max: question.maxMarks,
      reason: mark.correct === null ? 'No answer was found.' : `Read as: ${read}`,
      evidence: reading.evidence,
    },
  ];
  return {
    awarded: mark.awarded,
    correct: mark.correct,
    criteria,
    annotations: annotate(question.label, mark.awarded, question.maxMarks, criteria, answer.blocks),
  };
};

/** Whether code cannot decide by the key if the reading is right, so that a teacher has to. */
export const isDoubtful = (key: ObjectiveKey, reading: ObjectiveReading): boolean =>
  compareTranscribed(key, given(reading)) === 'doubtful';

const given = ({ optionLabels, value }: ObjectiveReading) => ({
  option_labels: optionLabels,
  text: value ?? '',
});

/** The option equal to `written`, else the only one equal without case and punctuation ("(b)" for "B"), else null. */
export const matchOption = (written: string, options: readonly { label: string }[]): string | null => {
  if (options.some(({ label }) => label === written)) return written;
  const bare = bareLabel(written);
  const matches = options.filter(({ label }) => bare !== '' && bareLabel(label) === bare);
  return matches.length === 1 ? (matches[0]?.label ?? null) : null;
};

const bareLabel = (label: string): string =>
  label
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
