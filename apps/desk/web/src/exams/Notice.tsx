import { Paper, Text } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

/** Colours the frame only: coloured text has too little contrast in dark colours. */
const FRAME = { note: 'yellow', alert: 'yellow', problem: 'red' } as const;

/**
 * A framed notice. A `note` informs; the other kinds ask for a correction, and screen readers announce them at once.
 */
export const Notice = ({
  kind,
  title,
  ref,
  children,
}: {
  kind: keyof typeof FRAME;
  title?: string;
  /** Lets the caller move the focus to the frame. */
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}) => (
  <Paper
    ref={ref}
    tabIndex={ref === undefined ? undefined : -1}
    role={kind === 'note' ? 'note' : 'alert'}
    withBorder
    p="md"
    style={{ borderColor: `var(--mantine-color-${FRAME[kind]}-7)` }}
  >
    {title === undefined ? null : (
      <Text fw={700} size="sm" mb="xs">
        {title}
      </Text>
    )}
    {children}
  </Paper>
);
