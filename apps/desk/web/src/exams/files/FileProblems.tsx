import { List } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import type { FileProblem } from './readTable.ts';

const MOST_SHOWN = 20;

export const FileProblems = ({ problems }: { problems: readonly FileProblem[] }) => {
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
    </Notice>
  );
};
