import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { TableBox } from '../../app/TableBox.tsx';
import type { DraftQuestion, ExamDraft } from './draft.ts';
import { isSameContent } from './sameContent.ts';

/** Questions of a file beside those of the form that they would replace, by their labels. */
export const QuestionsPreview = ({
  before,
  after,
  onReplace,
}: {
  before: ExamDraft;
  after: ExamDraft;
  onReplace: (after: ExamDraft) => void;
}) => {
  const t = useText();
  const labels = new Set([...after.questions, ...before.questions].map(({ label }) => label));
  const rows = [...labels].flatMap((label) => {
    const [old, now] = [before, after].map(({ questions }) =>
      questions.find((question) => question.label === label),
    );
    const isSame = isSameContent({ ...old, id: null }, { ...now, id: null });
    return isSame ? [] : [{ label, old, now }];
  });
  const textOf = (question: DraftQuestion | undefined) =>
    question === undefined
      ? t('exams.preview.nothing')
      : [t(`exams.type.${question.type}`), question.text, question.maxMarks].join(' · ');
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {t('exams.preview.questions', { count: after.questions.length, before: before.questions.length })}
      </Text>
      {rows.length === 0 ? null : (
        <TableBox
          caption={t('exams.preview.changedQuestions')}
          isDense
          columns={[t('exams.form.label'), t('exams.preview.inForm'), t('exams.preview.after')]}
        >
          {rows.map(({ label, old, now }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td>{textOf(old)}</Table.Td>
              <Table.Td>{textOf(now)}</Table.Td>
            </Table.Tr>
          ))}
        </TableBox>
      )}
      <Group>
        <Button onClick={() => onReplace(after)}>{t('exams.preview.replace')}</Button>
      </Group>
    </Stack>
  );
};
