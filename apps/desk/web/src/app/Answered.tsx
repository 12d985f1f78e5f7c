import { Alert, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { textOfError } from './failures.ts';
import { useText } from './language.ts';

export const Answered = <T,>({
  query,
  children,
}: {
  query: Pick<UseQueryResult<T, unknown>, 'data' | 'error'>;
  children: (data: T) => ReactNode;
}) => {
  const t = useText();
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) {
    return (
      <Alert role="alert" color="red" variant="outline">
        {textOfError(query.error)}
      </Alert>
    );
  }
  return <Loader role="status" aria-label={t('app.loading')} />;
};
