import { Anchor, List, Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import { Section } from '../app/Section.tsx';

const FILES = [
  ['results.csv', 'deciding.downloads.csv'],
  ['results.xlsx', 'deciding.downloads.xlsx'],
  ['results-by-question.csv', 'deciding.downloads.csvByQuestion'],
  ['results-by-question.xlsx', 'deciding.downloads.xlsxByQuestion'],
  ['checked-copies.zip', 'deciding.downloads.copies'],
] as const;

export const Downloads = ({ examId }: { examId: string }) => {
  const t = useText();
  return (
    <Section id="downloads" title={t('deciding.downloads.title')}>
      <List>
        {FILES.map(([file, label]) => (
          <List.Item key={file}>
            <Anchor href={`/downloads/exams/${examId}/${file}`} download underline="always">
              {t(label)}
            </Anchor>
          </List.Item>
        ))}
      </List>
      <Text size="sm">{t('deciding.downloads.explained')}</Text>
    </Section>
  );
};
