import { Container, Group, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useText } from './language.ts';

/** A page of the desk: its heading, which is the title of the browser's tab too, and its content. */
export const Page = ({
  title,
  actions,
  size = 'xl',
  isCompact = false,
  children,
}: {
  title: string;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  size?: string | number;
  /** True for a page whose content needs the height of the window. */
  isCompact?: boolean;
  children: ReactNode;
}) => {
  const text = useText();
  useEffect(() => {
    document.title = `${title} – ${text('app.name')}`;
  }, [title, text]);
  return (
    <Container size={size} py={isCompact ? 'xs' : 'md'}>
      <Group justify="space-between" mb={isCompact ? 'xs' : 'md'} gap={isCompact ? 'xs' : 'md'}>
        <Title
          order={1}
          size={isCompact ? 'h5' : 'h2'}
          {...(isCompact ? { lineClamp: 1, title, maw: '16rem' } : {})}
        >
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Container>
  );
};
