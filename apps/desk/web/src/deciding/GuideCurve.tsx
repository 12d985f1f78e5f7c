import { Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CartesianGrid, ErrorBar, Line, LineChart, XAxis, YAxis } from 'recharts';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import type { Guide } from './answers.ts';
import { Answered } from '../app/Answered.tsx';
import { count, percent } from './figures.ts';
import { Picture } from './Picture.tsx';
import { TableBox } from '../app/TableBox.tsx';

/** Agreement of the guide with the teacher by the number of its examples, with 95 % intervals. */
export const GuideCurve = ({
  examId,
  question,
}: {
  examId: string;
  question: Guide['questions'][number];
}) => {
  const t = useText();
  const learning = useQuery(
    calls.desk.statistics.learning.queryOptions({ exam_id: examId, question_id: question.question_id }),
  );
  return (
    <Stack>
      <Title order={3} size="h4">
        {t('deciding.curve.title')}
      </Title>
      <Answered query={learning}>
        {({ curve, version }) => {
          if (curve.length === 0) return <Text>{t('deciding.curve.none')}</Text>;
          const data = curve.map((point) => ({
            ...point,
            interval: [point.agreement - point.low, point.high - point.agreement],
          }));
          return (
            <>
              <Text>{t('deciding.curve.explained', { version: version ?? 0 })}</Text>
              <Picture name={t('deciding.curve.picture', { label: question.label })}>
                <LineChart
                  data={data}
                  accessibilityLayer={false}
                  margin={{ bottom: 24, left: 0, right: 16, top: 8 }}
                >
                  <CartesianGrid stroke="currentColor" strokeOpacity={0.15} />
                  <XAxis
                    dataKey="examples"
                    type="number"
                    stroke="currentColor"
                    label={{ value: t('deciding.curve.examples'), position: 'bottom', fill: 'currentColor' }}
                  />
                  <YAxis domain={[0, 1]} tickFormatter={percent} stroke="currentColor" />
                  <Line dataKey="agreement" stroke="var(--mantine-color-blue-6)" isAnimationActive={false}>
                    <ErrorBar dataKey="interval" stroke="var(--mantine-color-blue-6)" width={6} />
                  </Line>
                </LineChart>
              </Picture>
              <TableBox
                caption={t('deciding.curve.caption')}
                minWidth={300}
                columns={[
                  t('deciding.curve.examples'),
                  t('deciding.curve.marked'),
                  t('deciding.curve.agreement'),
                  t('deciding.curve.interval'),
                ]}
              >
                {curve.map((point) => (
                  <Table.Tr key={point.examples}>
                    <Table.Th scope="row">
                      {point.examples === 0 ? t('deciding.curve.grader') : count(point.examples)}
                    </Table.Th>
                    <Table.Td>{count(point.n)}</Table.Td>
                    <Table.Td>{percent(point.agreement)}</Table.Td>
                    <Table.Td>
                      {percent(point.low)} – {percent(point.high)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </TableBox>
            </>
          );
        }}
      </Answered>
    </Stack>
  );
};
