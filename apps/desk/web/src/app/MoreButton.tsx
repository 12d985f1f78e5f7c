import { Button, Group } from '@mantine/core';
import { useText } from './language.ts';

/** Button that loads the next page of a list. Absent at the end of the list. */
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
