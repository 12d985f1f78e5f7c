import '@mantine/dropzone/styles.css';
import { Dropzone } from '@mantine/dropzone';
import { Button, Stack, Text } from '@mantine/core';
import { useRef } from 'react';

/**
 * Takes files by drag and drop, or by its button. The area itself is no button, because a button must not contain the
 * field for files. Files of another kind are taken too and shown as rejected: an operating system may not know the
 * type.
 */
export const DropArea = ({
  drop,
  help,
  choose,
  onFiles,
}: {
  drop: string;
  help: string;
  choose: string;
  onFiles: (files: File[]) => void;
}) => {
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      onDrop={onFiles}
      openRef={open}
      multiple
      p="xl"
      role="group"
      aria-label={drop}
      inputProps={{ 'aria-label': choose }}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      tabIndex={-1}
    >
      <Stack align="center" gap="xs">
        <Text fw={600}>{drop}</Text>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        <Button variant="default" onClick={() => open.current?.()}>
          {choose}
        </Button>
      </Stack>
    </Dropzone>
  );
};
