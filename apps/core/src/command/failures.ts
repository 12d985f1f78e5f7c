import { DomainFailure, type ErrorCode } from '@evaluation/rest-contract/errors';

/** Failures whose text is more specific than the text of their code in contracts/rest/src/errors.ts. */
const FAILURES = {
  upload_not_found: { code: 'not_found', message: 'The upload was not found.' },
  upload_used: { code: 'conflict', message: 'The upload is already used by a submission.' },
  upload_not_ready: {
    code: 'conflict',
    message: 'The upload is not ready: PUT the file, or wait until it is checked.',
  },
  submission_of_another_exam: {
    code: 'not_found',
    message: 'A named submission does not belong to this exam.',
  },
  exam_has_submissions: { code: 'conflict', message: 'The exam has submissions. Delete them first.' },
  external_ref_freed: {
    code: 'conflict',
    message: 'Another exam with this external_ref was deleted meanwhile. Try again.',
  },
  exam_changed: {
    code: 'conflict',
    message: 'The exam has changed since it was read. Read it again and decide.',
  },
  mark_changed: {
    code: 'conflict',
    message: 'The mark has changed since it was read. Read it again and decide.',
  },
  settings_changed: {
    code: 'conflict',
    message: 'The settings have changed since they were read. Read them again and decide.',
  },
  shares_changed: {
    code: 'conflict',
    message: 'The work on this exam was shared out meanwhile. Read the shares again and decide.',
  },
  blind_copy: {
    code: 'conflict',
    message: 'The exam is marked blind, and the checked copy names the candidate. Admins can open it.',
  },
  candidate_erased: { code: 'conflict', message: 'The data of the candidate was erased.' },
  no_such_institute: { code: 'not_found', message: 'There is no such institute.' },
  no_such_key: { code: 'not_found', message: 'There is no such key.' },
  no_such_candidate: { code: 'not_found', message: 'The institute has no such candidate.' },
  no_such_attempt: { code: 'not_found', message: 'There is no such attempt.' },
  key_revoked: { code: 'conflict', message: 'This key is revoked.' },
  guide_off: {
    code: 'conflict',
    message: 'Guides are off for this exam. Set the mode to suggest or apply first.',
  },
  guide_not_applying: {
    code: 'conflict',
    message: 'The mode of the exam does not apply guides. Set the mode to apply first.',
  },
  no_such_preview: { code: 'not_found', message: 'The exam has no such preview.' },
  guide_preview_unfinished: {
    code: 'conflict',
    message: 'The preview is not finished. Continue it first.',
  },
  guide_preview_stale: {
    code: 'conflict',
    message:
      'A teacher has given or withdrawn marks since this preview, or a later one was applied. Preview again.',
  },
  guide_busy: {
    code: 'conflict',
    message: 'Another application of guides to this exam is running. Wait until it has ended.',
  },
  guide_not_in_force: {
    code: 'conflict',
    message: 'This application is not the one in force, so it cannot be undone.',
  },
  no_such_question: { code: 'not_found', message: 'The exam has no such question.' },
  no_such_staff: { code: 'not_found', message: 'There is no such member of staff.' },
  no_such_session: { code: 'not_found', message: 'There is no such session.' },
  no_such_link: {
    code: 'not_found',
    message:
      'This link is not valid: it was used, it has expired, or a newer one was made. Ask an admin for another.',
  },
  staff_exists: {
    code: 'conflict',
    message: 'The institute has an account with this e-mail address already.',
  },
  several_accounts: {
    code: 'conflict',
    message: 'Several institutes have an account with this e-mail address. Name the institute.',
  },
  too_many_passkeys: { code: 'conflict', message: 'An account has at most 10 passkeys. Remove one first.' },
  no_such_passkey: { code: 'not_found', message: 'The account has no such passkey.' },
  passwords_off: {
    code: 'conflict',
    message: 'Staff signs in with the provider alone (OIDC_ONLY).',
  },
  staff_disabled: { code: 'conflict', message: 'The account is disabled. Enable it first.' },
  own_reset: {
    code: 'conflict',
    message: 'Change your own password with the present one. If it is lost, another admin can make a link.',
  },
  last_admin: {
    code: 'conflict',
    message: 'This is the only admin who can sign in. Make another person admin first.',
  },
  run_not_held: { code: 'conflict', message: 'This worker does not hold the run any more.' },
  drawing_not_held: { code: 'conflict', message: 'This worker does not draw the copy any more.' },
  inspection_not_held: { code: 'conflict', message: 'This worker does not inspect the upload any more.' },
} as const satisfies Record<string, { code: ErrorCode; message: string }>;

export const failure = (reason: keyof typeof FAILURES): DomainFailure => {
  const { code, message } = FAILURES[reason];
  return new DomainFailure(code, { message });
};
