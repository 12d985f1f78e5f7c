import { Alert, Loader, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { textOfError } from './failures.ts';
import { useText } from './language.ts';
import { MoreButton } from './MoreButton.tsx';
import type { Pages } from './pages.ts';

interface Column<Row> {
  heading: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
}

export const PagedTable = <Row,>({
  label,
  empty,
  pages,
  columns,
  keyOf,
}: {
  label: string;
  empty: string;
  pages: Pages<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}) => {
  const t = useText();
  if (pages.isLoading) return <Loader aria-label={t('app.loading')} />;
  if (pages.error !== null) {
    return (
      <Alert role="alert" color="red" variant="outline">
        {textOfError(pages.error)}
      </Alert>
    );
  }
  if (pages.rows.length === 0) return <Text>{empty}</Text>;
  return (
    <>
      <Table aria-label={label} highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ heading, isNumber }) => (
              <Table.Th key={heading} ta={isNumber === true ? 'right' : undefined}>
                {heading}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pages.rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ heading, cell, isNumber }) => (
                <Table.Td key={heading} ta={isNumber === true ? 'right' : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <MoreButton list={pages.list} />
    </>
  );
};
