import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table that scrolls inside its own box on a narrow screen. */
export const TableBox = ({
  caption,
  label,
  columns,
  minWidth = 500,
  isDense = false,
  children,
}: {
  caption?: string;
  /** Name of a table without a caption. */
  label?: string;
  columns: readonly string[];
  minWidth?: number;
  isDense?: boolean;
  children: ReactNode;
}) => (
  <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
    <Table
      captionSide="top"
      striped
      withTableBorder
      {...(isDense ? { verticalSpacing: 2 } : {})}
      aria-label={label}
    >
      {caption === undefined ? null : <Table.Caption ta="left">{caption}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column} scope="col">
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
