import { Button, Group } from '@mantine/core';
import { useText } from './language.ts';

/** Loads the next page of a list; nothing at its end. */
export const MoreButton = ({
  label,
  hasMore,
  isLoading,
  onMore,
}: {
  /** Says what is loaded, if it is not more of the same rows. */
  label?: string;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}) => {
  const t = useText();
  if (!hasMore) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={isLoading} onClick={onMore}>
        {label ?? t('app.more')}
      </Button>
    </Group>
  );
};
