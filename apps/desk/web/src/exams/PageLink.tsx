import { Anchor, Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

/** Areas name the parameters of their paths differently. */
const PARAMETER = /\$\w+/g;

/**
 * Link to a page of another area. It is shown only if the desk has that page, so that no link leads nowhere.
 * @param pattern path of the route, such as `/exams/$id/mark`
 */
export const PageLink = ({
  pattern,
  examId,
  search = {},
  look = 'link',
  label,
  children,
}: {
  pattern: string;
  examId: string;
  search?: Record<string, string>;
  look?: 'link' | 'button';
  /** Name for screen readers, if the text alone does not say where the link leads. */
  label?: string;
  children: ReactNode;
}) => {
  const router = useRouter();
  const isPage = Object.keys(router.routesByPath).some(
    (path) => path.replaceAll(PARAMETER, '$') === pattern.replaceAll(PARAMETER, '$'),
  );
  if (!isPage) return null;
  const query = new URLSearchParams(search).toString();
  const href = `${pattern.replace('$id', examId)}${query === '' ? '' : `?${query}`}`;
  const go = (event: MouseEvent) => {
    // The browser opens other tabs and windows itself.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return look === 'button' ? (
    <Button component="a" href={href} onClick={go} variant="default" aria-label={label}>
      {children}
    </Button>
  ) : (
    <Anchor href={href} onClick={go} aria-label={label}>
      {children}
    </Anchor>
  );
};
