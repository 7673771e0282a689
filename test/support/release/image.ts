// Simulates the Dockerfile's image without a container engine: puts the image's files into a directory, and runs the
// image's commands as an unprivileged user.

import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { after } from 'node:test'
import { parse } from 'yaml'
import { temporaryDirectory } from '../service.ts'
import { copyCheckout } from './checkout.ts'

export type Instruction = { name: string; words: string }

/** Each stage's instructions, FROM first. */
export function readDockerfile(): Instruction[][] {
  const text = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
  return text
    .split(/^(?=FROM )/m)
    .filter((stage) => stage.startsWith('FROM'))
    .map((stage) =>
      [...stage.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name, words]) => ({ name: name!, words: words! })),
    )
}

const [, build, stage] = readDockerfile() as [Instruction[], Instruction[], Instruction[]]

function wordsOf(name: string): string {
  return stage.find((instruction) => instruction.name === name)!.words
}

/** An instruction's command in exec form. */
function commandOf(name: string): string[] {
  return JSON.parse(wordsOf(name).replace(/^.*?(?=\[)/, ''))
}

export const program = commandOf('CMD')
export const imageHealthcheck = commandOf('HEALTHCHECK')
export const composeHealthcheck: string[] = parse(
  readFileSync('compose.yaml', 'utf8'),
).services.node.healthcheck.test.slice(1)

/** A user that is neither root nor the owner of the files. Empty if the tests already run as an unprivileged user. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Creates the image as a directory. Its processes run as an unprivileged user, with this port and a new data
 *  directory. */
export function makeImage(port: number) {
  const image = temporaryDirectory()
  chmodSync(image, 0o755)
  copySources(image, stage)
  copyPackages(image)
  buildInto(image)
  const programs = join(image, 'usr-local-bin')
  mkdirSync(programs)
  try {
    linkSync(process.execPath, join(programs, 'node'))
  } catch {
    copyFileSync(process.execPath, join(programs, 'node')) // the temporary directory may be on another disk
  }
  symlinkSync(join(image, 'bin/tenantdesk.js'), join(programs, 'tenantdesk'))
  const data = join(image, 'data')
  mkdirSync(data, 0o700)
  if (nobody.uid) chownSync(data, nobody.uid, nobody.gid)
  const variables = Object.fromEntries(
    wordsOf('ENV')
      .split(' ')
      .map((pair) => pair.split('=')),
  )
  const env = { ...variables, PATH: `${programs}:/usr/bin:/bin`, DATA_DIR: data, PORT: String(port), HOST: '127.0.0.1' }
  const options: SpawnOptions = { cwd: image, env, ...nobody, stdio: ['ignore', 'ignore', 'pipe'] }
  const asRoot = { uid: 0, gid: 0, env: { ...env, DATA_DIR: temporaryDirectory() } } // commands refuse files of others
  return {
    data,
    owner: nobody.uid ?? process.getuid?.(),
    /** Runs a command until it exits. */
    run([command, ...args]: string[]) {
      return spawnSync(command!, args, { ...options, stdio: 'pipe', encoding: 'utf8' })
    },
    /** Starts the program, optionally through a wrapper such as `unshare`, and waits until it is ready. */
    async start([command, ...args]: string[]) {
      const child = spawn(command!, args, command === 'unshare' ? { ...options, ...asRoot } : options)
      after(() => child.kill('SIGKILL'))
      let stderr = ''
      for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
        stderr += chunk
        if (stderr.includes('API is at')) return { child, ended: once(child, 'exit') }
      }
      throw new Error(`the program exited: ${stderr}`)
    },
  }
}

/** Copies the files that a stage copies from the build context, as in a fresh clone. */
function copySources(target: string, stage: Instruction[]): void {
  const copies = stage.filter(({ name, words }) => name === 'COPY' && !words.startsWith('--from'))
  copyCheckout(
    target,
    copies.flatMap(({ words }) => words.split(' ').slice(0, -1)),
  )
}

/** Runs the last command of the build stage on the files that the stage copies, and copies the result into the
 *  image. */
function buildInto(image: string): void {
  const directory = temporaryDirectory()
  copySources(directory, build)
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
  const [command, ...args] = build.at(-1)!.words.split(' ')
  execFileSync(command!, args, { cwd: directory })
  cpSync(join(directory, 'dist'), join(image, 'dist'), { recursive: true })
}

/** Copies the packages that `npm ci --omit=dev` installs according to the lock file. */
function copyPackages(image: string): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    if (path !== '' && !dev && existsSync(path))
      cpSync(path, join(image, path), { recursive: true, filter: isNeededAtRunTime })
  }
}

/** False for source maps and type declarations, which make up half of the bytes. */
function isNeededAtRunTime(path: string): boolean {
  return !/\.(map|d\.[cm]?ts)$/.test(path)
}
