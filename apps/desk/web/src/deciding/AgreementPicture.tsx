import { CartesianGrid, ReferenceLine, Scatter, ScatterChart, XAxis, YAxis, ZAxis } from 'recharts';
import { useText } from '../app/language.ts';
import type { Agreement } from './answers.ts';
import { Picture } from './Picture.tsx';

/** Dots at the examiner's and the AI's mark, larger for more answers. On the line both are equal. */
export const AgreementPicture = ({ question }: { question: Agreement['questions'][number] }) => {
  const t = useText();
  const { label, max, cells } = question;
  const axis = { type: 'number', domain: [0, max], stroke: 'currentColor', tickCount: 5 } as const;
  return (
    <Picture name={t('deciding.agreement.picture', { label })} height={340}>
      <ScatterChart accessibilityLayer={false} margin={{ bottom: 24, left: 8, right: 16, top: 8 }}>
        <CartesianGrid stroke="currentColor" strokeOpacity={0.15} />
        <XAxis
          {...axis}
          dataKey="examiner"
          label={{ value: t('deciding.agreement.examiner'), position: 'bottom', fill: 'currentColor' }}
        />
        <YAxis
          {...axis}
          dataKey="ai"
          label={{
            value: t('deciding.agreement.ai'),
            angle: -90,
            position: 'insideLeft',
            fill: 'currentColor',
          }}
        />
        <ZAxis dataKey="answers" range={[40, 400]} />
        <ReferenceLine
          segment={[
            { x: 0, y: 0 },
            { x: max, y: max },
          ]}
          stroke="currentColor"
          strokeDasharray="4 4"
        />
        <Scatter data={cells} fill="var(--mantine-color-blue-6)" isAnimationActive={false} />
      </ScatterChart>
    </Picture>
  );
};
