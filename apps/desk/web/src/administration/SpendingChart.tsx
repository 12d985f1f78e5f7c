import { SegmentedControl, Group, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { showNumber } from '../app/times.ts';

const SPANS = [30, 90] as const;
const HEIGHT = 220;

/** Credits spent on each day as bars, with the same figures in a table for screen readers. */
export const SpendingChart = () => {
  const t = useText();
  const [days, setDays] = useState<number>(SPANS[0]);
  const { data: spending = [] } = useQuery(calls.desk.credits.spending.queryOptions({ days }));
  const total = spending.reduce((sum, { credits }) => sum + credits, 0);
  return (
    <section aria-label={t('administration.spending.title')}>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h3">
          {t('administration.spending.title')}
        </Title>
        <SegmentedControl
          aria-label={t('administration.spending.span')}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={SPANS.map((span) => ({
            value: String(span),
            label: t('administration.spending.days', { count: span }),
          }))}
        />
      </Group>
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={HEIGHT}>
          <BarChart data={spending} accessibilityLayer={false}>
            <CartesianGrid vertical={false} strokeDasharray="3 3" />
            <XAxis dataKey="day" tickFormatter={(day: string) => day.slice(5)} minTickGap={24} />
            <YAxis width={64} tickFormatter={showNumber} />
            <Tooltip formatter={(value) => [showNumber(Number(value)), t('administration.credits.amount')]} />
            <Bar dataKey="credits" fill="var(--mantine-primary-color-filled)" isAnimationActive={false} />
          </BarChart>
        </ResponsiveContainer>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{t('administration.spending.sum', { total: showNumber(total), count: days })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('administration.spending.day')}</th>
              <th scope="col">{t('administration.credits.amount')}</th>
            </tr>
          </thead>
          <tbody>
            {spending.map(({ day, credits }) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{showNumber(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </section>
  );
};
