/** Identifies processes of earlier runs. Pids are reused, so each check includes a command line or a start mark. */
import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const hasProc = process.platform === 'linux';

/** Whether the system refused a call with one of these codes, for example ENOENT. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Arguments joined by spaces, or null when the process is dead or may not be inspected. */
export const commandLine = async (pid: number): Promise<string | null> => {
  try {
    if (hasProc) return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim() || null;
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout.trim() || null;
  } catch {
    return null;
  }
};

/** Working folder, or null when it cannot be read (macOS, process of another user). */
export const workingFolder = async (pid: number): Promise<string | null> =>
  hasProc ? readlink(`/proc/${pid}/cwd`).catch(() => null) : null;

/** A mark that no later process shares: start time and, on Linux, boot id. Null for dead processes and zombies. */
export const processMark = async (pid: number): Promise<string | null> => {
  try {
    if (!hasProc) return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || null;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces and parentheses, so fields count from the last `)`.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${await bootId()} ${fields[19]}`;
  } catch {
    return null;
  }
};

/** Some sandboxes hide the boot id; then a mark has the start time only. */
const bootId = async (): Promise<string> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => 'unknown-boot',
  );

/** Pids of living processes whose command line contains `fragment`, a path that only our servers use. */
export const processesNaming = async (fragment: string): Promise<number[]> => {
  if (!hasProc) {
    const { stdout } = await run('ps', ['-axo', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
    return stdout
      .split('\n')
      .filter((line) => line.includes(fragment))
      .map((line) => Number.parseInt(line, 10))
      .filter((pid) => pid !== process.pid);
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map(commandLine));
  return pids.filter((pid, index) => pid !== process.pid && (lines[index]?.includes(fragment) ?? false));
};

/** Polls `isTrue` every 10 ms. @returns false after `timeoutMs` */
export const until = async (isTrue: () => Promise<boolean>, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
};

/**
 * Sends `gentle`, then `harsh` after `graceMs`, and waits for the end of the process. Each signal is sent only while
 * the pid still has its first mark.
 * @throws Error when the process survives both
 */
export const stopProcess = async (
  pid: number,
  signals: { gentle: NodeJS.Signals; harsh: NodeJS.Signals; graceMs: number },
): Promise<void> => {
  const mark = await processMark(pid);
  if (mark === null) return;
  const hasEnded = async () => (await processMark(pid)) !== mark;
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  };
  signal(signals.gentle);
  if (await until(hasEnded, signals.graceMs)) return;
  if (!(await hasEnded())) signal(signals.harsh);
  if (!(await until(hasEnded, 10_000))) throw new Error(`process ${pid} did not end after ${signals.harsh}`);
};
