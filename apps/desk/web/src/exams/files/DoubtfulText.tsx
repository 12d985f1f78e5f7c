import { Button, Group, List, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import { doubtfulWords } from './decodeFile.ts';

/** Asks whether the words of a text whose encoding was guessed are right. */
export const DoubtfulText = ({
  text,
  onRight,
  onWrong,
}: {
  text: string;
  onRight: () => void;
  onWrong: () => void;
}) => {
  const t = useText();
  return (
    <Notice kind="alert" title={t('exams.encoding.title')}>
      <Text size="sm">{t('exams.encoding.explained')}</Text>
      <List size="sm" my="xs">
        {doubtfulWords(text).map((word) => (
          <List.Item key={word}>{word}</List.Item>
        ))}
      </List>
      <Group>
        <Button size="xs" onClick={onRight}>
          {t('exams.encoding.right')}
        </Button>
        <Button size="xs" variant="default" onClick={onWrong}>
          {t('exams.encoding.wrong')}
        </Button>
      </Group>
    </Notice>
  );
};
