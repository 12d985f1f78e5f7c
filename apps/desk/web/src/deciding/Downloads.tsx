import { Anchor, List, Stack, Text, Title } from '@mantine/core';
import { useText } from '../app/language.ts';

const FILES = [
  ['results.csv', 'deciding.downloads.csv'],
  ['results.xlsx', 'deciding.downloads.xlsx'],
  ['checked-copies.zip', 'deciding.downloads.copies'],
] as const;

/** Links to the results of an exam as tables, and to its checked copies as one file. */
export const Downloads = ({ examId }: { examId: string }) => {
  const t = useText();
  return (
    <section aria-labelledby="downloads">
      <Stack gap="xs">
        <Title order={2} size="h3" id="downloads">
          {t('deciding.downloads.title')}
        </Title>
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
      </Stack>
    </section>
  );
};
