import { Alert, Paper, Stack, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useText } from '../app/language.ts';

/** Frame of the pages that people see before they are signed in: one form with its heading and what went wrong. */
export const EntryForm = ({
  title,
  problem,
  onSubmit,
  children,
}: {
  title: string;
  problem: string | null;
  onSubmit: (fields: FormData) => void;
  children: ReactNode;
}) => {
  const t = useText();
  useEffect(() => {
    document.title = `${title} – ${t('app.name')}`;
  }, [title, t]);
  return (
    <main>
      <Paper
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(new FormData(event.currentTarget));
        }}
        maw={440}
        mx="auto"
        mt="10vh"
        p="lg"
        withBorder
      >
        <Stack>
          <Title order={1} size="h2">
            {title}
          </Title>
          {problem === null ? null : (
            <Alert role="alert" color="red" variant="outline">
              {problem}
            </Alert>
          )}
          {children}
        </Stack>
      </Paper>
    </main>
  );
};
