import * as z from 'zod/v4';
import { failure } from '../../command/failures.ts';
import { folded, NewEmail } from '../../people/email.ts';
import {
  disableStaff,
  enableStaff,
  inviteStaff,
  listStaff,
  resetPassword,
  type Manager,
} from '../../people/manageStaff.ts';
import { hashPassword } from '../../people/passwords.ts';
import { ROLES } from '../../people/roles.ts';
import type { Services } from '../../command/services.ts';
import { controlProcedure, router } from '../trpc.ts';

const Account = z.object({
  email: z.string().max(254),
  /** Needed if several institutes have an account of this address. */
  institute_id: z.uuid().optional(),
});
const account = controlProcedure.input(Account);

const operatorOf = (instituteId: string): Manager => ({ institute_id: instituteId, staff_id: null });

/** @throws DomainFailure not_found, conflict if the address alone names several accounts */
const findAccount = async (
  { database }: Services,
  { email, institute_id: instituteId }: z.output<typeof Account>,
): Promise<[Manager, string]> => {
  const [staff, ...others] = await database.control.staff.findMany({
    where: { email: folded(email), ...(instituteId === undefined ? {} : { institute_id: instituteId }) },
    take: 2,
  });
  if (staff === undefined) throw failure('no_such_staff');
  if (others.length > 0) throw failure('several_accounts');
  return [operatorOf(staff.institute_id), staff.id];
};

/** Accounts of staff for the admin CLI (docs/operate/provision.md). */
export const operatorStaffRouter = router({
  invite: controlProcedure
    .input(
      z.object({
        institute_id: z.uuid(),
        email: NewEmail,
        name: z.string().trim().min(1).max(255),
        role: z.enum(ROLES),
        /** With a password the account can sign in at once, and there is no link. */
        password: z.string().max(1000).optional(),
      }),
    )
    .mutation(async ({ ctx: { services }, input: { institute_id, password, ...invited } }) => {
      return inviteStaff(services, operatorOf(institute_id), {
        ...invited,
        ...(password === undefined
          ? {}
          : {
              password_hash: await hashPassword('operator', password, {
                about: [invited.email, invited.name],
              }),
            }),
      });
    }),
  list: controlProcedure
    .input(
      z.object({
        institute_id: z.uuid(),
        limit: z.int().gte(1).lte(200).default(200),
        after: z.uuid().optional(),
      }),
    )
    .query(({ ctx, input }) => listStaff(ctx.services, input.institute_id, input)),
  disable: account.mutation(async ({ ctx, input }) =>
    disableStaff(ctx.services, ...(await findAccount(ctx.services, input))),
  ),
  enable: account.mutation(async ({ ctx, input }) =>
    enableStaff(ctx.services, ...(await findAccount(ctx.services, input))),
  ),
  reset: account.mutation(async ({ ctx, input }) =>
    resetPassword(ctx.services, ...(await findAccount(ctx.services, input))),
  ),
});
