// Compiles src/ to dist/ for the npm package and the image: `npm run build`, which `npm pack` runs automatically.

import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist')
const compiler = join(root, 'node_modules/.bin/tsc')

rmSync(output, { recursive: true, force: true })
const { status } = spawnSync(compiler, ['--project', join(import.meta.dirname, 'tsconfig.json')], { stdio: 'inherit' })
if (status !== 0) process.exit(1)
// The program reads stylesheets, scripts, icons and the list of passwords from the folders that contain its code.
cpSync(join(root, 'src'), output, { recursive: true, filter: (path) => !path.endsWith('.ts') })
