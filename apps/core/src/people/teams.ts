import type { Actor } from '@evaluation/platform/signed-actor';
import type { CoreSettings } from '@evaluation/platform/settings';

/** Accounts and API keys outlive the key of the team that made or changed them. */
const CLOSED_TO_TEAMS = ['public.desk.people.', 'public.desk.keys.'];

/** True for an actor that no team signed, and for a member of staff within the limits of the team that signed. */
export const mayTeamCall = (teams: CoreSettings['teams'], actor: Actor, path: string): boolean => {
  if (actor.team === undefined) return true;
  const team = teams.find(({ name }) => name === actor.team);
  return (
    team !== undefined &&
    (team.institutes === 'all' || team.institutes.includes(actor.institute_id)) &&
    team.roles.some((role) => role === actor.staff?.role) &&
    !CLOSED_TO_TEAMS.some((closed) => path.startsWith(closed))
  );
};
