import { MultiBar } from 'cli-progress';
import type { Submission } from '@evaluation/rest-contract';
import { isOver } from './follow.ts';

interface Progress {
  add(name: string, questions: number): (submission: Submission) => void;
  stop(): void;
}

/** Shows a progress bar per submission on a terminal, otherwise a line per change. */
export const showProgress = (out: NodeJS.WriteStream): Progress => (out.isTTY ? bars(out) : lines(out));

const done = (submission: Submission, questions: number): { done: number; total: number } => {
  const total = submission.progress?.questions_total ?? questions;
  // `progress` is null if no AI grading is needed.
  const over = submission.status === 'graded';
  return { total, done: over ? total : (submission.progress?.questions_done ?? 0) };
};

/** `progress.step` is for display only (docs/api/submissions.md#fields). */
const stepOf = (submission: Submission): string => {
  if (submission.queue === null) return submission.progress?.step ?? submission.status;
  const { position } = submission.queue;
  return position === 0 ? 'queued, next' : `queued behind ${position}`;
};

const bars = (out: NodeJS.WriteStream): Progress => {
  const multi = new MultiBar({
    stream: out,
    format: '{name} [{bar}] {value}/{total} questions  {step}  {duration_formatted}',
    barsize: Math.max(10, Math.min(30, (out.columns ?? 80) - 65)),
    barCompleteChar: '=',
    barIncompleteChar: '-',
    hideCursor: true,
    autopadding: true,
    fps: 5,
    noTTYOutput: false,
  });
  return {
    add: (name, questions) => {
      const label = name.length > 18 ? `${name.slice(0, 17)}…` : name.padEnd(18);
      const bar = multi.create(questions, 0, { name: label, step: '' });
      return (submission) => {
        const { done: value, total } = done(submission, questions);
        bar.setTotal(total);
        bar.update(value, { name: label, step: stepOf(submission).padEnd(16) });
        if (isOver(submission)) bar.stop();
      };
    },
    stop: () => multi.stop(),
  };
};

const lines = (out: NodeJS.WriteStream): Progress => ({
  add: (name, questions) => {
    let before = '';
    return (submission) => {
      const { done: value, total } = done(submission, questions);
      const now = `progress    ${name}: ${stepOf(submission)}, ${value}/${total} questions`;
      if (now !== before) out.write(`${now}\n`);
      before = now;
    };
  },
  stop: () => {},
});
