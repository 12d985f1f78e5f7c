/**
 * What we may know about a process that we did not start ourselves in this run: whether it lives, and what it is.
 * A pid alone proves nothing, since the system hands it out again; every question here is about more than the number.
 */
import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const hasProc = process.platform === 'linux';

/** The process's arguments joined by spaces, or null when it does not live or may not be seen. */
export async function commandLine(pid: number): Promise<string | null> {
  try {
    if (hasProc) return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim() || null;
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout.trim() || null;
  } catch {
    return null;
  }
}

/** The folder the process works in, or null when it is not to be had (macOS, another user's process). */
export async function workingFolder(pid: number): Promise<string | null> {
  return hasProc ? readlink(`/proc/${pid}/cwd`).catch(() => null) : null;
}

/**
 * A mark which no later process of the same pid shares: the start time, and on Linux the boot too.
 * Null when the process does not live; a zombie counts as dead, it holds no resource.
 */
export async function processMark(pid: number): Promise<string | null> {
  try {
    if (!hasProc) return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || null;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself hold spaces and parentheses: count fields from behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${await bootId()} ${fields[19]}`;
  } catch {
    return null;
  }
}

/** Some sandboxes hide it; the start time alone then has to do. */
async function bootId(): Promise<string> {
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => 'unknown-boot',
  );
}

/** Pids of the living processes whose command line contains `fragment`, which must be a path unique to us. */
export async function processesNaming(fragment: string): Promise<number[]> {
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
}

/** Waits until `isTrue` answers true, asking every 10 ms. @returns false when `timeoutMs` ran out. */
export async function until(isTrue: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

/**
 * Ends a process and returns once it is gone: first `gentle`, after `graceMs` `harsh`.
 * The pid is signalled only while its mark is still the one it had when asked to stop.
 * @throws Error when the process outlives both.
 */
export async function stopProcess(
  pid: number,
  signals: { gentle: NodeJS.Signals; harsh: NodeJS.Signals; graceMs: number },
): Promise<void> {
  const mark = await processMark(pid);
  if (mark === null) return;
  const gone = async () => (await processMark(pid)) !== mark;
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  signal(signals.gentle);
  if (await until(gone, signals.graceMs)) return;
  if (!(await gone())) signal(signals.harsh);
  if (!(await until(gone, 10_000))) throw new Error(`process ${pid} did not end after ${signals.harsh}`);
}
