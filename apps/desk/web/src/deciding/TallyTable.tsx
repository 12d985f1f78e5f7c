import { Table } from '@mantine/core';
import { useText, type TextKey } from '../app/language.ts';
import type { GuideStep } from './answers.ts';
import { count, marks, signed } from './figures.ts';
import { TableBox } from '../app/TableBox.tsx';

type Tally = GuideStep['preview'];

const FIGURES: readonly (readonly [TextKey, (tally: Tally) => string])[] = [
  ['deciding.tally.results', ({ results }) => count(results)],
  ['deciding.tally.changed', ({ changed }) => count(changed)],
  ['deciding.tally.raised', ({ raised }) => count(raised)],
  ['deciding.tally.lowered', ({ lowered }) => count(lowered)],
  ['deciding.tally.difference', ({ difference }) => signed(difference)],
  ['deciding.tally.largest', ({ largest }) => marks(largest)],
  ['deciding.tally.passing', ({ passing }) => count(passing)],
  ['deciding.tally.audited', ({ audited }) => count(audited)],
  ['deciding.tally.skippedTeacher', ({ skipped }) => count(skipped.teacher ?? 0)],
  ['deciding.tally.skippedFinal', ({ skipped }) => count(skipped.finalized ?? 0)],
  ['deciding.tally.skippedObjective', ({ skipped }) => count(skipped.objective ?? 0)],
  [
    'deciding.tally.skippedOther',
    ({ skipped }) => count((skipped.not_graded ?? 0) + (skipped.no_text ?? 0) + (skipped.no_guide ?? 0)),
  ],
];

/** Counts of a preview, beside those of its application and its undo. */
export const TallyTable = ({ step }: { step: GuideStep }) => {
  const t = useText();
  const tallies = [
    { name: t('deciding.tally.preview'), tally: step.preview },
    ...(step.applied === null ? [] : [{ name: t('deciding.tally.applied'), tally: step.applied }]),
    ...(step.undone === null ? [] : [{ name: t('deciding.tally.undone'), tally: step.undone }]),
  ];
  return (
    <TableBox
      caption={t('deciding.tally.caption', { number: step.number })}
      minWidth={300}
      columns={[t('deciding.tally.what'), ...tallies.map(({ name }) => name)]}
    >
      {FIGURES.map(([label, figureOf]) => (
        <Table.Tr key={label}>
          <Table.Th scope="row">{t(label)}</Table.Th>
          {tallies.map(({ name, tally }) => (
            <Table.Td key={name}>{figureOf(tally)}</Table.Td>
          ))}
        </Table.Tr>
      ))}
    </TableBox>
  );
};
