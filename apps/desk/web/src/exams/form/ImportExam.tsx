import { Button, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { PasteOrFile } from '../files/PasteOrFile.tsx';
import { readExamJson } from '../files/readExamJson.ts';
import { readQuestionTable } from '../files/readQuestions.ts';
import type { FileProblem } from '../files/readTable.ts';
import type { ExamDraft } from './draft.ts';

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

export const ImportExam = ({
  draft,
  onChange,
}: {
  draft: ExamDraft;
  onChange: (draft: ExamDraft) => void;
}) => {
  const t = useText();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const read = (text: string) => {
    const found = isJson(text) ? readExamJson(text, draft) : tableOf(text, draft);
    setProblems(found.problems);
    if (found.draft === draft) return;
    onChange(found.draft);
    notify(t('exams.import.done', { count: found.draft.questions.length }));
    if (found.problems.length === 0) close();
  };
  return (
    <div>
      <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
        {t('exams.import.open')}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="sm" mt="sm">
          <Text size="sm">{t('exams.import.help')}</Text>
          <PasteOrFile action={t('exams.import.read')} takesJson problems={problems} onText={read} />
        </Stack>
      </Collapse>
    </div>
  );
};

const tableOf = (text: string, draft: ExamDraft): { draft: ExamDraft; problems: FileProblem[] } => {
  const { questions, problems } = readQuestionTable(text);
  return { draft: questions.length === 0 ? draft : { ...draft, questions }, problems };
};
