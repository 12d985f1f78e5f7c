import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from './language.ts';

export const ConfirmModal = ({
  title,
  text,
  action,
  isBusy,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  text: string;
  /** Label of the button that acts. */
  action: string;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
  /** More about what will happen, below the text. */
  children?: ReactNode;
}) => {
  const t = useText();
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('app.close') }}>
      <Text mb="md">{text}</Text>
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('app.cancel')}
        </Button>
        <Button color="red" loading={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
};
