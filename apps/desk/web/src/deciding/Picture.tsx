import type { ReactElement } from 'react';
import { ResponsiveContainer } from 'recharts';

/** A chart as one picture with a name. The page has a table with the same figures, so its parts need no names. */
export const Picture = ({
  name,
  height = 280,
  children,
}: {
  name: string;
  height?: number;
  children: ReactElement;
}) => (
  <figure role="img" aria-label={name} style={{ margin: 0, maxWidth: 720 }}>
    <div aria-hidden="true" style={{ width: '100%', height }}>
      <ResponsiveContainer width="100%" height="100%">
        {children}
      </ResponsiveContainer>
    </div>
  </figure>
);
