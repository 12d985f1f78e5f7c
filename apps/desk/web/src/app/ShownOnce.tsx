import { Button, CopyButton, Group, Modal, Text, TextInput } from '@mantine/core';
import { useText } from './language.ts';

/** A secret that the service shows only now, with a button that copies it. */
export const ShownOnce = ({
  title,
  explanation,
  label,
  value,
  onClose,
}: {
  title: string;
  explanation: string;
  label: string;
  value: string;
  onClose: () => void;
}) => {
  const t = useText();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <Text mb="md">{explanation}</Text>
      <TextInput label={label} value={value} readOnly onFocus={(event) => event.currentTarget.select()} />
      <Group justify="flex-end" mt="md">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? t('app.copied') : t('app.copy')}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{t('app.done')}</Button>
      </Group>
    </Modal>
  );
};
