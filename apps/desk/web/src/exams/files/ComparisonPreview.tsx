import { Stack, Table, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { TableBox } from '../../app/TableBox.tsx';
import { COMPARED_FIELDS, type Comparison } from './compareCandidates.ts';

const MOST_SHOWN = 100;

/** What a file would create and change. Nothing is written before the teacher says so. */
export const ComparisonPreview = ({ comparison }: { comparison: Comparison }) => {
  const t = useText();
  const { added, changes, counts } = comparison;
  const more = (all: readonly unknown[]) =>
    all.length > MOST_SHOWN ? (
      <Text size="sm">{t('exams.file.more', { count: all.length - MOST_SHOWN })}</Text>
    ) : null;
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {t('exams.preview.counts', counts)}
      </Text>
      {changes.length > 0 ? (
        <TableBox
          caption={t('exams.preview.changes')}
          isDense
          columns={[
            t('exams.preview.line'),
            t('exams.candidates.external_id'),
            t('exams.preview.field'),
            t('exams.preview.before'),
            t('exams.preview.after'),
          ]}
        >
          {changes.slice(0, MOST_SHOWN).map(({ line, external_id, field, before, after }) => (
            <Table.Tr key={`${line} ${field}`}>
              <Table.Td>{line}</Table.Td>
              <Table.Th scope="row" fw={500}>
                {external_id}
              </Table.Th>
              <Table.Td>{t(`exams.candidates.${field}`)}</Table.Td>
              <Table.Td>{before === '' ? t('exams.preview.nothing') : <del>{before}</del>}</Table.Td>
              <Table.Td>
                <ins>{after}</ins>
              </Table.Td>
            </Table.Tr>
          ))}
        </TableBox>
      ) : null}
      {more(changes)}
      {added.length > 0 ? (
        <TableBox
          caption={t('exams.preview.added')}
          isDense
          columns={[
            t('exams.preview.line'),
            t('exams.candidates.external_id'),
            ...COMPARED_FIELDS.map((field) => t(`exams.candidates.${field}`)),
          ]}
        >
          {added.slice(0, MOST_SHOWN).map((candidate) => (
            <Table.Tr key={candidate.line}>
              <Table.Td>{candidate.line}</Table.Td>
              <Table.Td>{candidate.external_id}</Table.Td>
              {COMPARED_FIELDS.map((field) => (
                <Table.Td key={field}>{candidate[field] ?? ''}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </TableBox>
      ) : null}
      {more(added)}
    </Stack>
  );
};
