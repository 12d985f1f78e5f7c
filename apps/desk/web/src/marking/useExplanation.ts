import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useText } from '../app/language.ts';
import { useStaff } from '../app/session.ts';

const SHOWN_MS = 20_000;

/** Explains the marking screen to a person who opens it for the first time in this browser. */
export const useExplanation = (): void => {
  const t = useText();
  const staff = useStaff();
  useEffect(() => {
    const key = `evaluation-desk-explained-${staff.id}`;
    try {
      if (localStorage.getItem(key) !== null) return;
      localStorage.setItem(key, '1');
    } catch {
      // Without storage it would come back at each visit.
      return;
    }
    notifications.show({
      message: `${t('marking.firstTime')}: ${t('marking.explained')}`,
      autoClose: SHOWN_MS,
      closeButtonProps: { 'aria-label': t('app.close') },
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once a visit
  }, []);
};
