import type { DomainFailure } from '@evaluation/rest-contract/errors';
import { failure } from '../../command/failures.ts';
import type { Services } from '../../command/services.ts';

/** Finds an institute with its keys, oldest first. @throws DomainFailure not_found */
export const findInstitute = async (services: Services, instituteId: string) => {
  const institute = await services.database.control.institutes.findUnique({
    where: { id: instituteId },
    include: { api_keys: { orderBy: { created_at: 'asc' } } },
  });
  if (institute === null) throw noSuchInstitute();
  return institute;
};

export const noSuchInstitute = (): DomainFailure => failure('no_such_institute');
