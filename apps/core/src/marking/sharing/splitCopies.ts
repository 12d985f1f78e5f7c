/** A candidate of an exam, with the person whose work the copy is. */
export interface SharedCandidate {
  candidate_id: string;
  staff_id: string | null;
}

/**
 * Gives each person so many candidates. A candidate stays with a person up to that number, so that marking which has
 * begun goes on; then free candidates are given in the order of the list.
 * @returns the candidates that have a person now; the rest is the work of all
 */
export const splitCopies = (
  candidates: readonly SharedCandidate[],
  wanted: readonly { staff_id: string; copies: number }[],
): { candidate_id: string; staff_id: string }[] => {
  const left = new Map(wanted.map(({ staff_id, copies }) => [staff_id, copies]));
  const take = (staffId: string | null): staffId is string => {
    const open = staffId === null ? 0 : (left.get(staffId) ?? 0);
    if (staffId === null || open === 0) return false;
    left.set(staffId, open - 1);
    return true;
  };
  const given: { candidate_id: string; staff_id: string }[] = [];
  const free: string[] = [];
  for (const { candidate_id, staff_id } of candidates) {
    if (take(staff_id)) given.push({ candidate_id, staff_id });
    else free.push(candidate_id);
  }
  for (const { staff_id } of wanted) {
    for (const candidate_id of free.splice(0, left.get(staff_id) ?? 0))
      given.push({ candidate_id, staff_id });
  }
  return given;
};
