import { DomainFailure } from '@evaluation/rest-contract/errors';
import { followLink } from '../src/people/links.ts';
import { inviteStaff, type Manager } from '../src/people/manageStaff.ts';
import type { Role } from '../src/people/roles.ts';
import { signIn } from '../src/people/signIn.ts';
import type { TestCore } from './newTestCore.ts';

export const PASSWORD = 'correct horse battery';
export const WRONG = { refused: 'wrong_credentials' };
export const browser = { address: '192.0.2.1', user_agent: 'Firefox' };

export const tokenOf = (link: { path: string } | null): string =>
  link?.path.replace('/invitation#', '') ?? '';

/** The code of the failure of a call; `answered` without one. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof DomainFailure ? error.failure.code : String(error)),
  );

/** Makes institutes and their people, each with an e-mail address and a network address of its own. */
export const testPeople = ({ services, newInstitute: makeInstitute }: TestCore) => {
  let institutes = 0;
  let people = 0;
  let addresses = 0;
  const someAddress = () => `198.51.100.${(addresses += 1)}`;
  const newEmail = () => `person${(people += 1)}@example.org`;
  const newInstitute = async (): Promise<Manager> => ({
    institute_id: await makeInstitute(`Institute ${(institutes += 1)}`),
    staff_id: null,
  });
  /** A person who has followed the invitation. */
  const newPerson = async (manager: Manager, role: Role = 'examiner') => {
    const email = newEmail();
    const { staff, link } = await inviteStaff(services, manager, { email, name: 'Asha Rao', role });
    const signedIn = await followLink(services, {
      token: tokenOf(link),
      password: PASSWORD,
      ...browser,
      address: someAddress(),
    });
    return { id: staff.id, email, token: 'token' in signedIn ? signedIn.token : '' };
  };
  const signInAs = (email: string, password = PASSWORD, address = someAddress()) =>
    signIn(services, { email, password, user_agent: 'Firefox', address });
  return { newInstitute, newEmail, newPerson, signInAs, someAddress };
};
