// Injects faults into system calls with strace. Tests are skipped if strace is missing or has no permission to trace.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Environment } from '../service.ts'

/** The reason to skip a test; false if faults can be injected. */
export const straceSkipReason: string | false =
  spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
    ? false
    : 'strace is missing or has no permission to trace'

/** A system call, numbered among the calls with the same name in its thread. Numbers begin at 1, as in strace. */
export type Step = { call: string; number: number }

/** Calls that change files on disk. `openat` is included because it may create a file. */
const changingCalls = [
  'openat',
  'mkdir',
  'pwrite64',
  'fsync',
  'fdatasync',
  'ftruncate',
  'link',
  'rename',
  'unlink',
  'rmdir',
]

/** Runs a program, and returns its steps on files below `directory`. If `paths` is given, returns only steps on these
 *  files. */
export async function recordSteps(run: TracedRun, directory: string, paths: string[] = []): Promise<Step[]> {
  const log = `${directory}.trace`
  const child = spawnTraced(run, ['-y', '-o', log, '-e', `trace=${changingCalls.join()}`, ...pathFilters(paths)])
  await run.during?.(child)
  await waitForExit(child)
  const counts = new Map<string, number>()
  const steps: Step[] = []
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? []
    if (!thread || !call) continue
    const number = (counts.get(thread + call) ?? 0) + 1
    counts.set(thread + call, number)
    const isChange = line.includes(directory) && (call !== 'openat' || line.includes('O_CREAT'))
    if (isChange) steps.push({ call, number })
  }
  return unique(steps)
}

/** Removes duplicates. Calls are counted per thread, so two threads may make a call with the same number. */
function unique(steps: Step[]): Step[] {
  return [...new Map(steps.map((step) => [`${step.call} ${step.number}`, step])).values()]
}

/** A run of a program. `during` is called while the program runs. */
export type TracedRun = {
  program?: string
  line: string[]
  environment: Environment
  during?: (child: ChildProcess) => Promise<void>
}

/** Runs the program and kills it just before a step. Returns its exit code, or null if it was killed. */
export async function runAndKill(run: TracedRun, { call, number }: Step, paths: string[] = []): Promise<number | null> {
  const injection = `inject=${call}:signal=SIGKILL:when=${number}`
  const child = spawnTraced(run, ['-o', '/dev/null', '-e', `trace=${call}`, '-e', injection, ...pathFilters(paths)])
  await run.during?.(child)
  return waitForExit(child)
}

function spawnTraced({ program = 'src/main.ts', line, environment }: TracedRun, options: string[]): ChildProcess {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env // with a compile cache, the number of calls would depend on its content
  const args = ['-f', '-qq', '--seccomp-bpf', ...options, process.execPath, program, ...line]
  return spawn('strace', args, { env: { ...inherited, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function waitForExit(child: ChildProcess): Promise<number | null> {
  child.stderr?.resume()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

function pathFilters(paths: string[]): string[] {
  return paths.flatMap((path) => ['-P', path])
}

/** Injects faults into a running process: its system calls on the given files fail until `end` is called. `faults`: for
 *  example `fsync:error=EIO:when=1+2`. */
export async function injectFaults(
  processId: number,
  paths: string[],
  faults: string[],
): Promise<{ end(): Promise<void> }> {
  const calls = faults.map((fault) => fault.split(':')[0]).join()
  const injections = faults.flatMap((fault) => ['-e', `inject=${fault}`])
  const options = [
    '-f',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    ...injections,
    ...pathFilters(paths),
    '-p',
    String(processId),
  ]
  const child = spawn('strace', options, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      if (stderr.includes('attached')) resolve()
    })
    child.once('exit', () => reject(new Error(`strace ended: ${stderr}`)))
  })
  return {
    async end() {
      child.kill('SIGINT') // strace detaches, and the process continues
      await waitForExit(child)
    },
  }
}
