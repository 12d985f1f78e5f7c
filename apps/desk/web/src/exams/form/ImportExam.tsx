import { Button, Collapse, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useText } from '../../app/language.ts';
import { tell } from '../../app/notices.ts';
import { FileProblems } from '../files/FileProblems.tsx';
import { readExamJson } from '../files/readExamJson.ts';
import { readQuestionTable } from '../files/readQuestions.ts';
import type { FileProblem } from '../files/readTable.ts';
import type { ExamDraft } from './draft.ts';

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** Fills the form from JSON of the API or from a table of questions, as a file or pasted. */
export const ImportExam = ({
  draft,
  onChange,
}: {
  draft: ExamDraft;
  onChange: (draft: ExamDraft) => void;
}) => {
  const t = useText();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [pasted, setPasted] = useState('');
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const read = (text: string) => {
    const found = isJson(text) ? readExamJson(text, draft) : tableOf(text, draft);
    setProblems(found.problems);
    if (found.draft === draft) return;
    onChange(found.draft);
    tell(t('exams.import.done', { count: found.draft.questions.length }));
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
          <Textarea
            label={t('exams.import.paste')}
            autosize
            minRows={4}
            maxRows={12}
            value={pasted}
            onChange={({ currentTarget }) => setPasted(currentTarget.value)}
          />
          <Group>
            <Button variant="default" disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
              {t('exams.import.read')}
            </Button>
            <FileButton
              accept=".csv,.tsv,.txt,.json,text/csv,application/json"
              onChange={(file) => {
                if (file !== null) void file.text().then(read);
              }}
            >
              {(props) => (
                <Button variant="default" {...props}>
                  {t('exams.import.file')}
                </Button>
              )}
            </FileButton>
          </Group>
          <FileProblems problems={problems} />
        </Stack>
      </Collapse>
    </div>
  );
};

const tableOf = (text: string, draft: ExamDraft): { draft: ExamDraft; problems: FileProblem[] } => {
  const { questions, problems } = readQuestionTable(text);
  return { draft: questions.length === 0 ? draft : { ...draft, questions }, problems };
};
