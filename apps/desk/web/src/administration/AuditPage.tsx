import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { calls, client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify, notifyError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import { PagedTable } from '../app/PagedTable.tsx';
import { usePages } from '../app/pages.ts';
import { showTime } from '../app/times.ts';
import { auditAsCsv, changesOf, MOST_EXPORTED, type Act, type ActFilter } from './audit.ts';
import { AuditFilters } from './AuditFilters.tsx';

export const AuditPage = () => {
  const t = useText();
  const [filter, setFilter] = useState<ActFilter>({});
  const [isExporting, setExporting] = useState(false);
  const pages = usePages<Act, { created_at: string; id: string }>({
    key: [...calls.desk.audit.list.queryKey(), 'pages', filter],
    read: async (before) => {
      const page = await client.desk.audit.list.query({ ...filter, ...(before === null ? {} : { before }) });
      return { data: page.data, next: page.next_before };
    },
  });
  const download = async () => {
    setExporting(true);
    try {
      const { csv, isCut } = await auditAsCsv(filter);
      saveFile(csv, 'audit.csv');
      if (isCut) notify(t('administration.audit.cut', { count: MOST_EXPORTED }));
    } catch (error) {
      notifyError(error);
    } finally {
      setExporting(false);
    }
  };
  return (
    <Page
      title={t('administration.audit.title')}
      actions={
        <Button variant="default" loading={isExporting} onClick={() => void download()}>
          {t('administration.audit.export')}
        </Button>
      }
    >
      <AuditFilters filter={filter} onChange={setFilter} />
      <PagedTable
        label={t('administration.audit.title')}
        empty={t('administration.audit.empty')}
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          {
            heading: t('administration.time'),
            cell: ({ created_at }) => (
              <Text size="sm" miw="7rem">
                {showTime(created_at)}
              </Text>
            ),
          },
          {
            heading: t('administration.audit.person'),
            cell: ({ person }) =>
              person.kind !== 'staff'
                ? t(`administration.audit.person.${person.kind}`, { name: person.name })
                : person.team === null
                  ? person.name
                  : t('administration.audit.person.team', { name: person.name, team: person.team }),
          },
          {
            heading: t('administration.audit.action'),
            cell: ({ action }) => t(`administration.action.${action}`),
          },
          {
            heading: t('administration.exam'),
            cell: ({ exam }) =>
              exam === null ? (
                ''
              ) : (
                <Anchor size="sm" href={`/exams/${exam.id}`}>
                  {exam.title}
                </Anchor>
              ),
          },
          {
            heading: t('administration.audit.concerns'),
            cell: ({ submission, subject }) => {
              if (subject !== null)
                return subject.kind === 'key'
                  ? t('administration.audit.key', { name: subject.name })
                  : subject.name;
              if (submission === null) return '';
              const candidate = submission.candidate ?? submission.id;
              return (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  ta="left"
                  aria-label={t('administration.audit.historyOf', { candidate })}
                  onClick={() => setFilter({ submission_id: submission.id })}
                >
                  {candidate}
                </Anchor>
              );
            },
          },
          {
            heading: t('administration.audit.question'),
            cell: ({ question_label }) => question_label ?? '',
          },
          { heading: t('administration.audit.change'), cell: (act) => <Changes act={act} /> },
          { heading: t('administration.audit.reason'), cell: ({ reason }) => reason ?? '' },
        ]}
      />
    </Page>
  );
};

/** Lines of one entry; the CSV has all. */
const MOST_LINES = 4;

const Changes = ({ act }: { act: Act }) => {
  const t = useText();
  const lines = changesOf(act);
  return (
    <>
      {lines.slice(0, MOST_LINES).map((line) => (
        <Text key={line} component="code" size="xs" lineClamp={2} maw="18rem">
          {line}
        </Text>
      ))}
      {lines.length > MOST_LINES ? (
        <Text size="sm" c="dimmed">
          {t('administration.audit.more', { count: lines.length - MOST_LINES })}
        </Text>
      ) : null}
    </>
  );
};

const saveFile = (text: string, name: string): void => {
  // The mark at the beginning tells spreadsheets that the text is UTF-8.
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
};
