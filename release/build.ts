// Compiles src/ to dist/, which the npm package and the image contain: `npm run build`, and `npm pack` by itself.

import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist')
const compiler = join(root, 'node_modules/.bin/tsc')

rmSync(output, { recursive: true, force: true })
const { status } = spawnSync(compiler, ['--project', join(import.meta.dirname, 'tsconfig.json')], { stdio: 'inherit' })
if (status !== 0) process.exit(1)
// Stylesheets, scripts, icons and the list of passwords, which the program reads from beside its code.
cpSync(join(root, 'src'), output, { recursive: true, filter: (path) => !path.endsWith('.ts') })
