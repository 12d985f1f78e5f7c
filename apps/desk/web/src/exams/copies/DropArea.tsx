import '@mantine/dropzone/styles.css';
import { Dropzone } from '@mantine/dropzone';
import { Text } from '@mantine/core';
import { useText } from '../../app/language.ts';

/** Takes files by drag and drop, by a click or by the keyboard. What is no PDF is taken too and shown as rejected. */
export const DropArea = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const t = useText();
  return (
    <Dropzone
      onDrop={onFiles}
      multiple
      p="xl"
      aria-label={t('exams.upload.drop')}
      inputProps={{ 'aria-label': t('exams.upload.choose') }}
      // An operating system may not know the type of a PDF; `copyQueue.ts` looks at the name too.
      useFsAccessApi={false}
    >
      <Text ta="center" fw={600}>
        {t('exams.upload.drop')}
      </Text>
      <Text ta="center" size="sm" c="dimmed">
        {t('exams.upload.dropHelp')}
      </Text>
    </Dropzone>
  );
};
