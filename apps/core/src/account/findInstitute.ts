import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Services } from '../services.ts';

/** An institute with its keys, the oldest first. @throws DomainFailure not_found */
export const findInstitute = async (services: Services, instituteId: string) => {
  const institute = await services.database.control.institutes.findUnique({
    where: { id: instituteId },
    include: { api_keys: { orderBy: { created_at: 'asc' } } },
  });
  if (institute === null) throw noSuchInstitute();
  return institute;
};

export const noSuchInstitute = (): DomainFailure =>
  new DomainFailure('not_found', { message: 'There is no such institute.' });
