import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of a page below its own heading. @param id of the heading, unique on the page */
export const Section = ({
  id,
  title,
  maw,
  isBusy,
  children,
}: {
  id: string;
  title: string;
  maw?: number;
  isBusy?: boolean;
  children: ReactNode;
}) => (
  <section aria-labelledby={id} aria-busy={isBusy}>
    <Stack maw={maw}>
      <Title order={2} size="h3" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  </section>
);
