import { del, get, set } from 'idb-keyval';
import { client, withKey } from '../../app/calls.ts';
import { failureIn, isUnreachable, textOfError } from '../../app/failures.ts';
import { t } from '../../app/language.ts';
import { newKey } from '../../app/newKey.ts';
import {
  afterReload,
  MOST_PAGES,
  newCopyFile,
  submissionKey,
  submittable,
  type ChosenCandidate,
  type CopyFile,
} from './copyFile.ts';
import { sendFile } from './sendFile.ts';

/*
 * Uploads and submissions of one exam's copies. State: the list of files, in this page and in IndexedDB, so that after
 * a reload the files that were sent need not be sent again. At most AT_ONCE files are sent and checked at a time. Every
 * command has an idempotency key, so a repetition after a lost answer makes no second copy.
 */

const AT_ONCE = 3;
const LARGEST_BYTES = 50 * 1024 * 1024;
const CHECK_PAUSE_MS = 1000;
const TRIES = 5;

export interface CopyQueue {
  subscribe(listener: () => void): () => void;
  files(): readonly CopyFile[];
  /**
   * @param candidates of files whose candidate is known
   * @returns how many files were added; a file with the name and size of one in the list is not added again
   */
  add(files: readonly File[], candidates?: ReadonlyMap<File, ChosenCandidate>): number;
  /** The file as it was chosen; undefined after a reload. */
  contentOf(key: string): File | undefined;
  choose(choices: ReadonlyMap<string, ChosenCandidate | null>): void;
  /** Ids of candidates by key of the file, for a person to confirm; null for none. */
  guess(ids: ReadonlyMap<string, string | null>): void;
  replace(key: string): void;
  retry(key: string): void;
  remove(key: string): void;
  /** Submits every file that is ready and has a candidate. */
  submit(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats a call that got no answer, with growing pauses. */
const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isUnreachable(error) || tries === TRIES) throw error;
      await pause(CHECK_PAUSE_MS * 2 ** (tries - 1));
    }
  }
};

const openCopyQueue = (examId: string): CopyQueue => {
  const kept = `desk.copies.${examId}`;
  const listeners = new Set<() => void>();
  const contents = new Map<string, File>();
  let files: readonly CopyFile[] = [];
  let working = 0;

  const show = (changed: readonly CopyFile[]): void => {
    files = changed;
    for (const listener of listeners) listener();
    void (changed.length === 0 ? del(kept) : set(kept, changed)).catch(() => {});
  };
  const change = (key: string, part: Partial<CopyFile>): void =>
    show(files.map((file) => (file.key === key ? { ...file, ...part } : file)));

  const check = async (key: string, uploadId: string): Promise<void> => {
    for (;;) {
      const upload = await patiently(() => client.uploads.get.query({ upload_id: uploadId }));
      if (upload.status === 'ready') {
        const pages = upload.pages ?? null;
        if (pages !== null && pages > MOST_PAGES)
          return change(key, { step: 'rejected', fault: 'tooManyPages', pages });
        return change(key, { step: 'ready', pages });
      }
      if (upload.status === 'rejected')
        return change(key, { step: 'rejected', reason: upload.reject_reason ?? null });
      await pause(CHECK_PAUSE_MS);
    }
  };

  const stopAt = (key: string, error: unknown): void => {
    const isOwn = failureIn(error) !== null || isUnreachable(error);
    change(key, { step: 'unsent', reason: isOwn ? textOfError(error) : t('exams.upload.unsent') });
  };

  const send = async (key: string, content: File): Promise<void> => {
    change(key, { step: 'sending', sent: 0, reason: null });
    const described = {
      file_name: content.name,
      content_type: 'application/pdf',
      size_bytes: content.size,
    } as const;
    // Without a candidate the numbers on the first page are read, to propose one.
    const hasCandidate = files.some((file) => file.key === key && file.candidate !== null);
    const { create } = hasCandidate ? client.uploads : client.desk.uploads;
    const { uploads } = await patiently(() => create.mutate({ body: { files: [described] } }));
    const [address] = uploads;
    if (address === undefined) throw new Error('the service gave no address');
    await sendFile({ url: address.upload_url, headers: address.headers }, content, (sent) =>
      change(key, { sent }),
    );
    change(key, { step: 'checking', sent: 1, uploadId: address.id });
  };

  /** Starts waiting files, at most AT_ONCE at a time. */
  const work = (): void => {
    while (working < AT_ONCE) {
      const next = files.find(({ step, key }) => step === 'waiting' && contents.has(key));
      const content = next === undefined ? undefined : contents.get(next.key);
      if (next === undefined || content === undefined) return;
      working += 1;
      void send(next.key, content)
        .then(async () => {
          const uploadId = files.find(({ key }) => key === next.key)?.uploadId;
          if (uploadId != null) await check(next.key, uploadId);
        })
        .catch((error: unknown) => stopAt(next.key, error))
        .finally(() => {
          working -= 1;
          work();
        });
    }
  };

  const submitOne = async (file: CopyFile): Promise<boolean> => {
    const { candidate, uploadId, replaces } = file;
    if (candidate === null || uploadId === null) return true;
    change(file.key, { step: 'submitting', reason: null });
    try {
      const body = {
        upload_id: uploadId,
        ...('id' in candidate
          ? { candidate_id: candidate.id }
          : { candidate: { external_id: candidate.external_id } }),
        ...(replaces ? { replace: true } : {}),
      };
      await patiently(() =>
        client.submissions.create.mutate(
          { exam_id: examId, body },
          { context: withKey(submissionKey(file)) },
        ),
      );
      change(file.key, { step: 'submitted' });
      contents.delete(file.key);
      return true;
    } catch (error) {
      const code = failureIn(error)?.code;
      const isTemporary =
        isUnreachable(error) || code === 'insufficient_credits' || code === 'daily_quota_exceeded';
      change(file.key, {
        step: isTemporary ? 'ready' : 'refused',
        reason: textOfError(error),
        canReplace: code === 'submission_exists',
      });
      return !isTemporary;
    }
  };

  void get<CopyFile[]>(kept)
    .then((stored) => {
      if (stored === undefined) return;
      const resumed = afterReload(stored).filter(({ key }) => files.every((file) => file.key !== key));
      show([...resumed, ...files]);
      for (const { key, step, uploadId } of resumed)
        if (step === 'checking' && uploadId !== null)
          check(key, uploadId).catch((error: unknown) => stopAt(key, error));
    })
    .catch(() => {});

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    files: () => files,
    add: (given, candidates) => {
      const isKnown = ({ name, size }: File) =>
        files.some((file) => file.name === name && file.size === size && file.step !== 'rejected');
      const added = given.filter((file) => !isKnown(file));
      const rows = added.map((content): CopyFile => {
        const file = {
          ...newCopyFile(newKey(), content),
          candidate: candidates?.get(content) ?? null,
        };
        const isPdf = content.type === 'application/pdf' || /\.pdf$/i.test(content.name);
        if (!isPdf) return { ...file, step: 'rejected', fault: 'noPdf' };
        if (content.size > LARGEST_BYTES) return { ...file, step: 'rejected', fault: 'tooLarge' };
        if (content.size === 0) return { ...file, step: 'rejected', fault: 'empty' };
        contents.set(file.key, content);
        return file;
      });
      show([...files, ...rows]);
      work();
      return rows.length;
    },
    contentOf: (key) => contents.get(key),
    choose: (choices) =>
      show(
        files.map((file) => {
          const chosen = choices.get(file.key);
          if (chosen === undefined) return file;
          const step = file.step === 'refused' ? 'ready' : file.step;
          return {
            ...file,
            step,
            candidate: chosen,
            guess: null,
            replaces: false,
            canReplace: false,
            reason: null,
          };
        }),
      ),
    guess: (ids) =>
      show(
        files.map((file) => {
          const id = ids.get(file.key);
          return id === undefined ? file : { ...file, guess: id };
        }),
      ),
    replace: (key) => change(key, { step: 'ready', replaces: true, canReplace: false, reason: null }),
    retry: (key) => {
      const uploadId = files.find((file) => file.key === key)?.uploadId ?? null;
      change(key, { step: uploadId === null ? 'waiting' : 'checking', reason: null });
      if (uploadId === null) work();
      else check(key, uploadId).catch((error: unknown) => stopAt(key, error));
    },
    remove: (key) => {
      contents.delete(key);
      show(files.filter((file) => file.key !== key));
    },
    submit: async () => {
      const waiting = submittable(files);
      let goesOn = true;
      const next = async (): Promise<void> => {
        for (let file = waiting.shift(); file !== undefined && goesOn; file = waiting.shift())
          if (!(await submitOne(file))) goesOn = false;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, next));
    },
  };
};

const queues = new Map<string, CopyQueue>();

/** The queue of an exam. It goes on while other pages of the desk are shown. */
export const copyQueueOf = (examId: string): CopyQueue => {
  const queue = queues.get(examId) ?? openCopyQueue(examId);
  queues.set(examId, queue);
  return queue;
};
