import { Button, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { PasteOrFile } from '../files/PasteOrFile.tsx';
import { readExamJson } from '../files/readExamJson.ts';
import { QUESTION_HEADINGS, readQuestionTable } from '../files/readQuestions.ts';
import type { FileProblem } from '../files/problems.ts';
import type { TableSource } from '../files/readTable.ts';
import type { ExamDraft } from './draft.ts';
import { QuestionsPreview } from './QuestionsPreview.tsx';

const isJson = (source: TableSource): source is string =>
  typeof source === 'string' && /^\s*[[{]/.test(source);

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
  /** What was read, until the teacher has seen which questions of the form it replaces. */
  const [waiting, setWaiting] = useState<TableSource | null>(null);
  const take = (read: ExamDraft) => {
    setWaiting(null);
    onChange(read);
    notify(t('exams.import.done', { count: read.questions.length }));
    close();
  };
  const read = (source: TableSource | null) => {
    setProblems([]);
    setWaiting(null);
    if (source === null) return;
    const found = readInto(source, draft);
    setProblems(found.problems);
    if (found.draft === draft || found.problems.length > 0) return;
    if (draft.questions.every(({ text }) => text.trim() === '')) take(found.draft);
    else setWaiting(source);
  };
  return (
    <div>
      <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
        {t('exams.import.open')}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="sm" mt="sm">
          <Text size="sm">{t('exams.import.help')}</Text>
          <PasteOrFile
            action={t('exams.import.read')}
            takesJson
            columns={QUESTION_HEADINGS}
            problems={problems}
            onSource={read}
          />
          {waiting === null ? null : (
            <QuestionsPreview before={draft} after={readInto(waiting, draft).draft} onReplace={take} />
          )}
        </Stack>
      </Collapse>
    </div>
  );
};

/** What was read, with the fields of the form that the file does not have. */
const readInto = (source: TableSource, draft: ExamDraft): { draft: ExamDraft; problems: FileProblem[] } =>
  isJson(source) ? readExamJson(source, draft) : tableOf(source, draft);

const tableOf = (source: TableSource, draft: ExamDraft): { draft: ExamDraft; problems: FileProblem[] } => {
  const { questions, problems } = readQuestionTable(source);
  return { draft: questions.length === 0 ? draft : { ...draft, questions }, problems };
};
