import * as z from 'zod/v4';
import { NewEmail } from '../../../people/email.ts';
import { followLink, showLink } from '../../../people/links.ts';
import {
  changeRole,
  disableStaff,
  enableStaff,
  endSession,
  inviteStaff,
  listStaff,
  requireStaff,
  resetPassword,
  type Manager,
} from '../../../people/manageStaff.ts';
import { oidcAccounts, oidcFinish, oidcJoin, oidcStart } from '../../../people/oidc.ts';
import { changePassword, endOtherSessions, provePresence } from '../../../people/ownAccount.ts';
import { findSession, sessionsOf, signOut } from '../../../people/sessions.ts';
import {
  addPasskey,
  passkeyOptions,
  passkeySignInOptions,
  passkeysOf,
  removePasskey,
  signInWithPasskey,
} from '../../../people/passkeys.ts';
import { signIn } from '../../../people/signIn.ts';
import { ROLES } from '../../../people/roles.ts';
import { provenProcedure, router, staffProcedure, visitorProcedure } from '../../trpc.ts';

/** As `oidcFinish` gave it. */
const join = z.string().max(2000);
const token = z.string().min(1).max(100);
/** The browser's address and `User-Agent`, as the desk's server received them. */
const browser = { address: z.string().min(1).max(100), user_agent: z.string().max(2000) };
/** Bound of the input. The rule of passwords refuses shorter texts too, before it hashes them. */
const password = z.string().max(1000);
const name = z.string().trim().min(1).max(255);
const role = z.enum(ROLES);
const staffId = z.object({ staff_id: z.string().max(100) });
const ofStaff = staffProcedure.input(staffId);
const provenOfStaff = provenProcedure.input(staffId);

/** Origin of the page, as the desk's server received the request. */
const origin = z.url({ protocol: /^https?$/ }).max(300);
const challenge = z.string().max(2000);
const encoded = z.base64url().max(10_000);
const credential = {
  id: z.base64url().max(1400),
  rawId: z.base64url().max(1400),
  type: z.literal('public-key'),
  /** No extension is used. */
  clientExtensionResults: z.unknown().transform(() => ({})),
};
/** WebAuthn's answers (`RegistrationResponseJSON`, `AuthenticationResponseJSON`), bounded; other fields are dropped. */
const Attestation = z.object({
  ...credential,
  response: z.object({ clientDataJSON: encoded, attestationObject: encoded }),
});
const Assertion = z.object({
  ...credential,
  response: z.object({ clientDataJSON: encoded, authenticatorData: encoded, signature: encoded }),
});

const meOf = (actor: { institute_id: string; key_id: string }) => ({
  institute_id: actor.institute_id,
  staff_id: actor.key_id,
});

const managerOf = (actor: { institute_id: string; key_id: string }): Manager => ({
  institute_id: actor.institute_id,
  staff_id: actor.key_id,
});

/** Sign-in, accounts and sessions (docs/desk/people.md). */
export const peopleRouter = router({
  // For the desk's server, before a person is known.
  signInWays: visitorProcedure.query(({ ctx }) => {
    const { oidc } = ctx.services.settings;
    return { password: oidc?.isOnlyWay !== true, oidc: oidc === null ? null : { name: oidc.name } };
  }),
  signIn: visitorProcedure
    .input(
      z.object({
        email: z.string().max(1000),
        password,
        ...browser,
        device: z.string().max(200).optional(),
      }),
    )
    .mutation(({ ctx, input }) => signIn(ctx.services, input)),
  session: visitorProcedure
    .input(z.object({ token }))
    .query(({ ctx, input }) => findSession(ctx.services, input.token)),
  prove: visitorProcedure
    .input(z.object({ token, password }))
    .mutation(({ ctx, input }) => provePresence(ctx.services, input)),
  signOut: visitorProcedure
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => signOut(ctx.services, input.token)),
  invitation: visitorProcedure
    .input(z.object({ token }))
    .query(({ ctx, input }) => showLink(ctx.services, input.token)),
  acceptInvitation: visitorProcedure
    .input(z.object({ token, name: name.optional(), password, ...browser }))
    .mutation(({ ctx, input }) => followLink(ctx.services, input)),
  oidcStart: visitorProcedure
    .input(z.object({ redirect_uri: z.url().max(2000) }))
    .mutation(({ ctx, input }) => oidcStart(ctx.services, input.redirect_uri)),
  oidcFinish: visitorProcedure
    .input(
      z.object({
        url: z.string().max(10_000),
        transaction: z.string().max(2000),
        ...browser,
      }),
    )
    .mutation(({ ctx, input }) => oidcFinish(ctx.services, input)),
  oidcAccounts: visitorProcedure
    .input(z.object({ join }))
    .query(({ ctx, input }) => oidcAccounts(ctx.services, input.join)),
  oidcJoin: visitorProcedure
    .input(z.object({ join, staff_id: z.uuid(), user_agent: browser.user_agent }))
    .mutation(({ ctx, input }) => oidcJoin(ctx.services, input)),

  passkeySignInOptions: visitorProcedure
    .input(z.object({ origin }))
    .mutation(({ ctx, input }) => passkeySignInOptions(ctx.services, input.origin)),
  passkeySignIn: visitorProcedure
    .input(z.object({ origin, challenge, response: Assertion, ...browser }))
    .mutation(({ ctx, input }) => signInWithPasskey(ctx.services, input)),

  // For admins.
  list: staffProcedure
    .input(z.object({ limit: z.int().gte(1).lte(200).default(50), after: z.uuid().optional() }))
    .query(({ ctx, input }) => listStaff(ctx.services, ctx.actor.institute_id, input)),
  invite: provenProcedure
    .input(z.object({ email: NewEmail, name, role }))
    .mutation(({ ctx, input }) => inviteStaff(ctx.services, managerOf(ctx.actor), input)),
  changeRole: provenOfStaff
    .input(z.object({ role }))
    .mutation(({ ctx, input }) => changeRole(ctx.services, managerOf(ctx.actor), input.staff_id, input.role)),
  disable: ofStaff.mutation(({ ctx, input }) =>
    disableStaff(ctx.services, managerOf(ctx.actor), input.staff_id),
  ),
  enable: provenOfStaff.mutation(({ ctx, input }) =>
    enableStaff(ctx.services, managerOf(ctx.actor), input.staff_id),
  ),
  resetPassword: provenOfStaff.mutation(({ ctx, input }) =>
    resetPassword(ctx.services, managerOf(ctx.actor), input.staff_id),
  ),
  sessions: ofStaff.query(async ({ ctx, input }) => {
    await requireStaff(ctx.services, ctx.actor.institute_id, input.staff_id);
    return sessionsOf(ctx.services, input.staff_id);
  }),
  endSession: ofStaff
    .input(z.object({ session_id: z.string().max(100) }))
    .mutation(({ ctx, input }) => endSession(ctx.services, managerOf(ctx.actor), input)),

  // For each person's own account.
  myPasskeys: staffProcedure.query(({ ctx }) => passkeysOf(ctx.services, ctx.actor.key_id)),
  passkeyOptions: provenProcedure
    .input(z.object({ origin }))
    .mutation(({ ctx, input }) => passkeyOptions(ctx.services, meOf(ctx.actor), input.origin)),
  addPasskey: provenProcedure
    .input(z.object({ origin, challenge, name: name.max(100), response: Attestation }))
    .mutation(({ ctx, input }) => addPasskey(ctx.services, meOf(ctx.actor), input)),
  removePasskey: provenProcedure
    .input(z.object({ id: z.string().max(1400) }))
    .mutation(({ ctx, input }) => removePasskey(ctx.services, meOf(ctx.actor), input.id)),
  mySessions: staffProcedure.query(({ ctx }) => sessionsOf(ctx.services, ctx.actor.key_id)),
  endMySession: staffProcedure
    .input(z.object({ session_id: z.string().max(100) }))
    .mutation(({ ctx, input }) =>
      endSession(ctx.services, managerOf(ctx.actor), {
        staff_id: ctx.actor.key_id,
        session_id: input.session_id,
      }),
    ),
  endMyOtherSessions: staffProcedure
    .input(z.object({ session_id: z.uuid() }))
    .mutation(({ ctx, input }) =>
      endOtherSessions(ctx.services, { staff_id: ctx.actor.key_id }, input.session_id),
    ),
  changePassword: staffProcedure
    .input(z.object({ current: password, next: password, session_id: z.uuid().optional() }))
    .mutation(({ ctx, input }) =>
      changePassword(
        ctx.services,
        { institute_id: ctx.actor.institute_id, staff_id: ctx.actor.key_id },
        input,
      ),
    ),
});
