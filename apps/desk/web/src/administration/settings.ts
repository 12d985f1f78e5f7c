import { useQueryClient } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import { calls } from '../app/calls.ts';
import { failureIn } from '../app/failures.ts';
import { t } from '../app/language.ts';
import { notify, notifyError, notifyProblem } from '../app/notices.ts';

export type Settings = inferRouterOutputs<PublicRouter>['desk']['settings']['show'];
export type OwnRetention = Settings['own_retention'];

/** What follows a change of the settings, stored or refused: a notice, and the settings are read again. */
export const useAfterChange = () => {
  const queryClient = useQueryClient();
  return {
    onSuccess: () => notify(t('administration.settings.saved')),
    onError: (error: unknown) => {
      if (failureIn(error)?.code === 'conflict') notifyProblem(t('administration.settings.changed'));
      else notifyError(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: calls.desk.settings.pathKey() }),
  };
};
