import { coreOverHttp } from '@evaluation/core-client';
import { staffActor } from '@evaluation/platform/signed-actor';

/*
 * Example for internal teams: lets a teacher mark the most instructive answers to a question, applies what the guide
 * learned, and returns the counts. A test compiles and runs this file (tests/documentation/internalTeams.test.ts).
 */

interface Options {
  /** Address of core, reachable inside the installation only. */
  coreUrl: string;
  /** CORE_PUBLIC_TOKEN. */
  token: string;
  /** A signing key of your team. Keep it on a server: who has it can act as any member of staff of its limits. */
  actorSigningKey: string;
  /** The member of staff that your service has authenticated. */
  teacher: { instituteId: string; staffId: string; role: string };
  examId: string;
  questionId: string;
  /** Asks the teacher for the marks of one answer; null skips it. */
  ask(answer: { text: string; awarded: number; max: number }): Promise<number | null>;
  /** Shows the preview to the teacher, who agrees or not. */
  agree(preview: { changed: number; raised: number; lowered: number; credits: number }): Promise<boolean>;
}

/** @returns the number of marks that the guide changed; null if the teacher did not agree */
export const markWithGuide = async (options: Options): Promise<number | null> => {
  const { coreUrl, token, actorSigningKey, teacher, examId, questionId } = options;
  const access = coreOverHttp({ url: coreUrl, token, actorSigningKey });
  try {
    const actor = staffActor({
      institute_id: teacher.instituteId,
      staff_id: teacher.staffId,
      role: teacher.role,
      scopes: ['evaluation:review'],
    });
    // The client signs the actor with each call; a signature is valid for a minute.
    const core = access.as({ actor }).public;
    await core.guide.set.mutate({ exam_id: examId, mode: 'apply' });

    const { data } = await core.marking.next.query({ exam_id: examId, question_id: questionId, limit: 10 });
    for (const answer of data) {
      const awarded = await options.ask(answer);
      if (awarded === null) continue;
      await core.submissions.override.mutate({
        submission_id: answer.submission_id,
        question_id: questionId,
        // The mark that the teacher was shown. If another person has changed it meanwhile, the call answers `conflict`.
        seen: { awarded: answer.awarded, edited_at: null, approved: false },
        body: { reviewer: teacher.staffId, awarded },
      });
    }

    let application = await core.guide.preview.mutate({ exam_id: examId });
    const { number } = application;
    while (application.step === 'previewing') {
      application = await core.guide.preview.mutate({ exam_id: examId, number });
    }
    if (!(await options.agree(application.preview))) return null;

    application = await core.guide.applyPreview.mutate({ exam_id: examId, number });
    while (application.step === 'applying') {
      application = await core.guide.applyPreview.mutate({ exam_id: examId, number });
    }
    return application.applied?.changed ?? 0;
  } finally {
    await access.close();
  }
};
