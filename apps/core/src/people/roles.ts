/**
 * Procedures of the public router by role of staff (docs/desk/roles.md). The row of a procedure lists the roles that
 * may call it; an empty list closes it to staff. API keys are not subject to this table, because the facade calls
 * procedures of the REST contract only and checks scopes. A test compares the rows with the router.
 */

export const ROLES = ['admin', 'examiner'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes that the desk signs for each role. Scopes divide API keys; staff is divided by the table below. */
export const SCOPES_OF_STAFF = ['evaluation:read', 'evaluation:write', 'evaluation:review'] as const;

const NONE: readonly Role[] = [];
const ADMIN: readonly Role[] = ['admin'];
const ALL: readonly Role[] = ROLES;

/** Names without the prefix `public.`. */
export const ROLES_OF_PROCEDURE: Readonly<Record<string, readonly Role[]>> = {
  // Before an actor is known, and for API keys only.
  authenticate: NONE,
  refuse: NONE,
  me: NONE,

  'credits.get': ADMIN,
  'credits.quote': ADMIN,

  'exams.create': ADMIN,
  'exams.get': ALL,
  'exams.list': ALL,
  'exams.search': ALL,
  'exams.edit': ADMIN,
  'exams.delete': ADMIN,
  'exams.open': ADMIN,
  'exams.finalize': ADMIN,

  'candidates.create': ADMIN,
  'candidates.search': ADMIN,
  'candidates.get': ADMIN,
  'candidates.register': ADMIN,
  'candidates.listRegistered': ALL,
  'candidates.unregister': ADMIN,

  'questions.list': ALL,
  'questions.add': ADMIN,
  'questions.edit': ADMIN,
  'questions.delete': ADMIN,

  'rubrics.list': ALL,
  'rubrics.edit': ADMIN,

  'uploads.create': ADMIN,
  'uploads.get': ADMIN,

  'submissions.create': ADMIN,
  'submissions.feed': ALL,
  'submissions.get': ALL,
  'submissions.listOfExam': ALL,
  'submissions.cancel': ADMIN,
  'submissions.delete': ADMIN,
  'submissions.reEvaluate': ADMIN,
  'submissions.result': ALL,
  'submissions.override': ALL,
  'submissions.approve': ALL,
  'submissions.unfinalize': ADMIN,
  'submissions.resultsOfExam': ALL,
  'submissions.checkedCopy': ALL,

  'guide.show': ALL,
  'guide.set': ADMIN,
  'guide.suggestions': ALL,
  'guide.preview': ADMIN,
  'guide.applyPreview': ADMIN,
  'guide.undo': ADMIN,

  'marking.next': ALL,
  'marking.groups': ALL,
  'marking.markGroup': ALL,

  'regrade.preview': ADMIN,
  'regrade.outdated': ADMIN,
  'regrade.start': ADMIN,
  'regrade.restore': ADMIN,

  // Called by the desk's server before a member of staff is known.
  'desk.people.signInWays': NONE,
  'desk.people.signIn': NONE,
  'desk.people.session': NONE,
  'desk.people.prove': NONE,
  'desk.people.signOut': NONE,
  'desk.people.invitation': NONE,
  'desk.people.acceptInvitation': NONE,
  'desk.people.oidcStart': NONE,
  'desk.people.oidcFinish': NONE,
  'desk.people.oidcAccounts': NONE,
  'desk.people.oidcJoin': NONE,
  'desk.people.passkeySignInOptions': NONE,
  'desk.people.passkeySignIn': NONE,

  'desk.people.list': ADMIN,
  'desk.people.invite': ADMIN,
  'desk.people.changeRole': ADMIN,
  'desk.people.disable': ADMIN,
  'desk.people.enable': ADMIN,
  'desk.people.resetPassword': ADMIN,
  'desk.people.sessions': ADMIN,
  'desk.people.endSession': ADMIN,
  'desk.people.myPasskeys': ALL,
  'desk.people.passkeyOptions': ALL,
  'desk.people.addPasskey': ALL,
  'desk.people.removePasskey': ALL,
  'desk.people.mySessions': ALL,
  'desk.people.endMySession': ALL,
  'desk.people.endMyOtherSessions': ALL,
  'desk.people.changePassword': ALL,

  'desk.exams.list': ALL,
  'desk.exams.overview': ALL,
  'desk.exams.markBook': ALL,
  'desk.exams.form': ADMIN,
  'desk.exams.save': ADMIN,
  'desk.exams.createSample': ADMIN,
  'desk.uploads.create': ADMIN,
  'desk.uploads.headings': ADMIN,
  'desk.exams.examiners': ADMIN,
  'desk.exams.assign': ADMIN,

  'desk.marking.screen': ALL,
  'desk.marking.order': ALL,
  'desk.marking.next': ALL,
  'desk.marking.progress': ALL,
  'desk.marking.shares': ADMIN,
  'desk.marking.share': ADMIN,
  'desk.marking.remarks': ALL,
  'desk.marking.changes': ALL,
  'desk.marking.withdraw': ALL,
  'desk.marking.unapprove': ALL,
  'desk.marking.flag': ALL,
  'desk.marking.ink': ALL,
  'desk.marking.keepOpen': ALL,

  'desk.review.queue': ALL,
  'desk.review.counts': ALL,
  'desk.review.checklist': ALL,
  'desk.review.pages': ALL,

  'desk.statistics.agreement': ALL,
  'desk.statistics.distribution': ALL,
  'desk.statistics.people': ALL,
  'desk.statistics.learning': ALL,
  'desk.statistics.marks': ALL,

  'desk.keys.list': ADMIN,
  'desk.keys.create': ADMIN,
  'desk.keys.edit': ADMIN,
  'desk.keys.revoke': ADMIN,

  'desk.credits.history': ADMIN,
  'desk.credits.spending': ADMIN,

  'desk.audit.list': ADMIN,

  'desk.settings.show': ADMIN,
  'desk.settings.change': ADMIN,
  'desk.settings.changeRetention': ADMIN,
};

const PREFIX = 'public.';

/** True when a member of staff with this role may call the procedure. Unknown roles and procedures are refused. */
export const mayCall = (role: string, path: string): boolean => {
  const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path;
  const allowed = Object.hasOwn(ROLES_OF_PROCEDURE, name) ? ROLES_OF_PROCEDURE[name] : undefined;
  return allowed?.some((known) => known === role) ?? false;
};
