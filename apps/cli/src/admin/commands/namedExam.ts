import type { Command } from 'commander';
import { id } from '../arguments.ts';

/** Options that name the exam of a command. */
export interface NamedExam {
  institute?: string;
  exam: string;
}

export const EXAM = '--exam 7c1f0a52-9d7b-4b0e-8f3c-2a6a5b1f4e90';

export const withExam = (command: Command): Command =>
  command
    .requiredOption('--exam <id>', 'id of the exam', id)
    .option('--institute <id>', 'institute of the exam: another one is refused (default: looked up)', id);

export const examOf = ({ institute, exam }: NamedExam) => ({ institute_id: institute, exam_id: exam });
