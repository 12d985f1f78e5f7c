import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls, client } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';

export const Quote = ({ pages, copies }: { pages: number; copies: number }) => {
  const t = useText();
  const quote = useQuery({
    // The call reads only; it is a mutation because the route of the API is a POST.
    queryKey: [...calls.credits.quote.mutationKey(), pages],
    queryFn: () => client.credits.quote.mutate({ body: { pages } }),
    enabled: pages > 0,
    placeholderData: (before) => before,
  });
  if (copies === 0) return <Text>{t('exams.upload.noneReady')}</Text>;
  const answer = quote.data;
  return (
    <Text role="status" c={answer?.sufficient === false ? 'var(--mantine-color-error)' : undefined}>
      {answer === undefined
        ? t('exams.upload.pagesOf', { copies, pages })
        : t(answer.sufficient ? 'exams.upload.quote' : 'exams.upload.quoteTooMuch', {
            copies,
            pages,
            total: answer.total,
            available: answer.available,
          })}
    </Text>
  );
};
