import { Checkbox, Group, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { MoreButton } from '../app/MoreButton.tsx';
import { Page } from '../app/Page.tsx';
import { Answered } from '../app/Answered.tsx';
import { queueFilters } from '../app/reviewSearch.ts';
import { reasonText } from '../app/reviewReasons.ts';
import { ReviewTable } from './ReviewTable.tsx';

const PAGE = 25;
/** Pause between two reads of the queue. Events of the service refresh it earlier. */
const REFRESH_MS = 30_000;

export const ReviewPage = () => {
  const t = useText();
  const filters = useSearch({ from: '/signed-in/review' });
  const navigate = useNavigate();
  const counts = useQuery(calls.desk.review.counts.queryOptions(undefined, { refetchInterval: REFRESH_MS }));
  const queue = useInfiniteQuery(
    calls.desk.review.queue.infiniteQueryOptions(
      {
        limit: PAGE,
        ...queueFilters(filters),
      },
      { getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined },
    ),
  );
  const choose = (change: {
    exam?: string | undefined;
    reason?: string | undefined;
    flagged?: true | undefined;
    own?: true | undefined;
  }) => void navigate({ to: '/review', search: { ...filters, ...change }, replace: true });
  const exams = counts.data?.exams ?? [];
  const reasons = counts.data?.reasons ?? [];
  return (
    <Page title={t('deciding.review.title')}>
      <Stack>
        <Group align="end">
          <Select
            label={t('deciding.review.exam')}
            placeholder={t('deciding.review.allExams')}
            clearable
            clearButtonProps={{ 'aria-label': t('deciding.review.allExams') }}
            searchable
            w={320}
            data={exams.map(({ exam_id, title, submissions }) => ({
              value: exam_id,
              label: `${title} (${submissions})`,
            }))}
            value={filters.exam ?? null}
            onChange={(exam) => choose({ exam: exam ?? undefined })}
          />
          <Select
            label={t('deciding.review.reason')}
            placeholder={t('deciding.review.allReasons')}
            clearable
            clearButtonProps={{ 'aria-label': t('deciding.review.allReasons') }}
            w={320}
            data={reasons.map(({ reason, submissions }) => ({
              value: reason,
              label: `${reasonText(reason)} (${submissions})`,
            }))}
            value={filters.reason ?? null}
            onChange={(reason) => choose({ reason: reason ?? undefined })}
          />
          <Checkbox
            label={t('deciding.review.flagged')}
            description={t('deciding.review.flaggedCount', { count: counts.data?.flagged ?? 0 })}
            checked={filters.flagged === true}
            onChange={({ currentTarget }) => choose({ flagged: currentTarget.checked ? true : undefined })}
          />
          {counts.data?.own == null && filters.own !== true ? null : (
            <Checkbox
              label={t('deciding.review.own')}
              description={t('deciding.review.flaggedCount', { count: counts.data?.own ?? 0 })}
              checked={filters.own === true}
              onChange={({ currentTarget }) => choose({ own: currentTarget.checked ? true : undefined })}
            />
          )}
        </Group>
        <Text role="status">
          {counts.data === undefined
            ? ''
            : t(counts.data.is_complete ? 'deciding.review.waiting' : 'deciding.review.waitingMore', {
                count: counts.data.counted,
              })}
        </Text>
        <Answered query={queue}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return (
              <>
                {rows.length === 0 ? (
                  <Text>{t(queue.hasNextPage ? 'app.noneYet' : 'deciding.review.empty')}</Text>
                ) : (
                  <ReviewTable rows={rows} filters={filters} />
                )}
                <MoreButton list={queue} />
              </>
            );
          }}
        </Answered>
      </Stack>
    </Page>
  );
};
