import { notifications } from '@mantine/notifications';
import { textOfError } from './failures.ts';
import { t } from './language.ts';

/** Says that something was done. Screen readers read it when they are idle. */
export const notify = (text: string): void => {
  notifications.show({ message: text, color: 'green', closeButtonProps: { 'aria-label': t('app.close') } });
};

/** Says what went wrong. It stays until it is closed. */
export const notifyError = (error: unknown): void => notifyProblem(textOfError(error));

/** Like `notifyError`, for a page that has its own text for a failure. */
export const notifyProblem = (text: string): void => {
  notifications.show({
    message: text,
    color: 'red',
    autoClose: false,
    role: 'alert',
    closeButtonProps: { 'aria-label': t('app.close') },
  });
};
