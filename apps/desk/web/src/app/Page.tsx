import { Container, Group, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useText } from './language.ts';

/** A page of the desk: its heading, which is the title of the browser's tab too, and its content. */
export const Page = ({
  title,
  actions,
  size = 'xl',
  children,
}: {
  title: string;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  size?: string | number;
  children: ReactNode;
}) => {
  const text = useText();
  useEffect(() => {
    document.title = `${title} – ${text('app.name')}`;
  }, [title, text]);
  return (
    <Container size={size} py="md">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Container>
  );
};
