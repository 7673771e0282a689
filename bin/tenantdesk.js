#!/usr/bin/env node
// The command `tenantdesk`. A checkout runs its TypeScript sources. The npm package contains compiled sources in dist/,
// because Node.js does not strip types below node_modules.

import { existsSync } from 'node:fs'

const oldestMajor = 24 // the first version with a complete node:sqlite

if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
  console.error(`Tenantdesk requires Node.js ${oldestMajor} or later; this is ${process.version}.`)
  process.exit(1)
}
await import(existsSync(new URL('../src/main.ts', import.meta.url)) ? '../src/main.ts' : '../dist/main.js')
