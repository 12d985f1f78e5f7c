import { Button, Group, NumberInput, Table, Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import { TableBox } from '../app/TableBox.tsx';
import type { Shares } from './answers.ts';

/** So many copies for each person. */
export const ShareCopies = ({
  candidates,
  people,
  chosen,
  onChange,
}: {
  /** Registered candidates. */
  candidates: number;
  people: Shares['people'];
  chosen: ReadonlyMap<string, number>;
  onChange: (chosen: Map<string, number>) => void;
}) => {
  const t = useText();
  const shared = people.reduce((sum, { staff_id }) => sum + (chosen.get(staff_id) ?? 0), 0);
  const splitEqually = (): void => {
    const [each, rest] = [Math.floor(candidates / people.length), candidates % people.length];
    onChange(new Map(people.map(({ staff_id }, index) => [staff_id, each + (index < rest ? 1 : 0)])));
  };
  return (
    <>
      <Group>
        <Button variant="default" onClick={splitEqually}>
          {t('deciding.share.equally')}
        </Button>
        <Text role="status">
          {t(shared > candidates ? 'deciding.share.tooMany' : 'deciding.share.shared', {
            shared,
            candidates,
          })}
        </Text>
      </Group>
      <TableBox
        label={t('deciding.share.table')}
        columns={[t('deciding.share.person'), t('deciding.share.copies'), t('deciding.share.decided')]}
      >
        {people.map(({ staff_id, name, answers, decided }) => (
          <Table.Tr key={staff_id}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>
              <NumberInput
                w={110}
                min={0}
                max={1_000_000}
                allowDecimal={false}
                aria-label={t('deciding.share.copiesOf', { name })}
                value={chosen.get(staff_id) ?? 0}
                onChange={(value) => onChange(new Map(chosen).set(staff_id, Number(value) || 0))}
              />
            </Table.Td>
            <Table.Td>{answers === 0 ? '–' : t('deciding.share.decidedOf', { answers, decided })}</Table.Td>
          </Table.Tr>
        ))}
      </TableBox>
    </>
  );
};
