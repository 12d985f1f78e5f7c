import { List, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import type { FileProblem } from './problems.ts';

const MOST_SHOWN = 20;

export const FileProblems = ({
  problems,
  columns,
}: {
  problems: readonly FileProblem[];
  /** Headings that the reader knows. */
  columns: readonly string[];
}) => {
  const t = useText();
  if (problems.length === 0) return null;
  return (
    <Notice kind="alert" title={t('exams.file.problems')}>
      <List size="sm">
        {problems.slice(0, MOST_SHOWN).map(({ line, code, about }) => (
          <List.Item key={`${line} ${code} ${about ?? ''}`}>
            {t('exams.file.line', { line })}: {t(`exams.file.${code}`, { about: about ?? '' })}
          </List.Item>
        ))}
        {problems.length > MOST_SHOWN ? (
          <List.Item>{t('exams.file.more', { count: problems.length - MOST_SHOWN })}</List.Item>
        ) : null}
      </List>
      {problems.some(({ code }) => code === 'unknown_column' || code === 'no_column') ? (
        <Text size="sm" mt="xs">
          {t('exams.file.columns', { columns: columns.join(', ') })}
        </Text>
      ) : null}
    </Notice>
  );
};
