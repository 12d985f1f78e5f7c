import { uploadCopy } from './api.ts';
import { behind } from './behind.ts';
import type { TestService } from './service.ts';
import type { Tenant } from './tenant.ts';

interface ReleasedInspection {
  upload_id: string;
  institute_id: string;
  delivery: number;
}

/** Uploads and seals a file, and releases its inspection ahead of others. @returns the ids, as in its message */
export const releasedInspection = async (
  service: TestService,
  tenant: Tenant,
  file: Uint8Array,
): Promise<ReleasedInspection> => {
  const upload_id = await uploadCopy(tenant.api, file);
  await tenant.api.get(`/uploads/${upload_id}`);
  const [released] = await behind<{ delivery: number }>(
    service.database,
    `update uploads set inspect_waits_since = null, inspect_delivery = greatest(1, inspect_delivery),
       inspect_released_at = clock_timestamp()
     where id = $1 and status = 'inspecting' returning inspect_delivery as delivery`,
    [upload_id],
  );
  if (released === undefined) throw new Error(`upload ${upload_id} is not sealed`);
  return { upload_id, institute_id: tenant.instituteId, delivery: released.delivery };
};
