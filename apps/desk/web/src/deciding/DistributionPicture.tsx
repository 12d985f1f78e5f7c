import { Bar, BarChart, CartesianGrid, XAxis, YAxis } from 'recharts';
import { useText } from '../app/language.ts';
import type { Distribution } from './answers.ts';
import { marks } from './figures.ts';
import { Picture } from './Picture.tsx';

/** @param name label of the question; null for totals in percent */
export const DistributionPicture = ({
  bins,
  name,
}: {
  bins: Distribution['totals']['bins'];
  name: string | null;
}) => {
  const t = useText();
  const title =
    name === null
      ? t('deciding.distribution.pictureTotal')
      : t('deciding.distribution.picture', { label: name });
  const data = bins.map(({ from, to, count }) => ({ range: `${marks(from)}–${marks(to)}`, count }));
  return (
    <Picture name={title}>
      <BarChart data={data} accessibilityLayer={false} margin={{ bottom: 8, left: 0, right: 8, top: 8 }}>
        <CartesianGrid stroke="currentColor" strokeOpacity={0.15} vertical={false} />
        <XAxis dataKey="range" stroke="currentColor" />
        <YAxis allowDecimals={false} stroke="currentColor" />
        <Bar dataKey="count" fill="var(--mantine-color-blue-6)" isAnimationActive={false} />
      </BarChart>
    </Picture>
  );
};
