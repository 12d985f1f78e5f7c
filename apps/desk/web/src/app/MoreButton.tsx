import { Button, Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useText } from './language.ts';

export type PagedQuery = Pick<
  UseInfiniteQueryResult<unknown, unknown>,
  'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

/** Button that loads the next page of a list. Absent at the end of the list. */
export const MoreButton = ({ list }: { list: PagedQuery }) => {
  const t = useText();
  if (!list.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {t('app.more')}
      </Button>
    </Group>
  );
};
