import { Button, List, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import type { FileProblem } from './problems.ts';

const MOST_SHOWN = 20;

export const FileProblems = ({
  problems,
  columns,
  onLeaveOut,
}: {
  problems: readonly FileProblem[];
  /** Headings that the reader knows. */
  columns: readonly string[];
  /** Reads the table without the columns that are not known. */
  onLeaveOut?: () => void;
}) => {
  const t = useText();
  const shown = distinct(problems);
  if (problems.length === 0) return null;
  return (
    <Notice kind="alert" title={t('exams.file.problems')}>
      <List size="sm">
        {shown.slice(0, MOST_SHOWN).map(({ line, code, about }) => (
          <List.Item key={keyOf({ line, code, about })}>
            {t('exams.file.line', { line })}: {t(`exams.file.${code}`, { about: about ?? '' })}
          </List.Item>
        ))}
        {shown.length > MOST_SHOWN ? (
          <List.Item>{t('exams.file.more', { count: shown.length - MOST_SHOWN })}</List.Item>
        ) : null}
      </List>
      {problems.some(({ code }) => code === 'unknown_column' || code === 'no_column') ? (
        <Text size="sm" mt="xs">
          {t('exams.file.columns', { columns: columns.join(', ') })}
        </Text>
      ) : null}
      {onLeaveOut !== undefined && shown.every(({ code }) => code === 'unknown_column') ? (
        <Button size="xs" variant="default" mt="xs" onClick={onLeaveOut}>
          {t('exams.file.leaveOut')}
        </Button>
      ) : null}
    </Notice>
  );
};

const keyOf = ({ line, code, about = '' }: FileProblem): string => `${line} ${code} ${about}`;

/** Each problem once, by lines. */
const distinct = (problems: readonly FileProblem[]): FileProblem[] =>
  [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()].toSorted(
    (one, other) => one.line - other.line,
  );
