import '@mantine/dropzone/styles.css';
import { Dropzone } from '@mantine/dropzone';
import { Button, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { useText } from '../../app/language.ts';

/**
 * Takes files by drag and drop, or by its button. The area itself is no button, because a button must not contain the
 * field for files. Files that are no PDF are taken too and shown as rejected: an operating system may not know the
 * type.
 */
export const DropArea = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const t = useText();
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      onDrop={onFiles}
      openRef={open}
      multiple
      p="xl"
      role="group"
      aria-label={t('exams.upload.drop')}
      inputProps={{ 'aria-label': t('exams.upload.choose') }}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      tabIndex={-1}
    >
      <Stack align="center" gap="xs">
        <Text fw={600}>{t('exams.upload.drop')}</Text>
        <Text size="sm" c="dimmed">
          {t('exams.upload.dropHelp')}
        </Text>
        <Button variant="default" onClick={() => open.current?.()}>
          {t('exams.upload.choose')}
        </Button>
      </Stack>
    </Dropzone>
  );
};
