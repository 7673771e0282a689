// Makes password hashing cheap in this process, so that test files with sign-ins take a third less time. The service reads
// its Argon2 function when it is loaded, so import this file before any module of the service (except types). If a
// server in another process must accept these passwords, start it with `NODE_OPTIONS=${cheapPasswords}`. The service
// itself has no such setting, and benchmarks do not use it.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { argon2 } = crypto

/** The memory cost that the service uses. Hashes with a different cost are not changed. */
const serviceMemoryKiB = 19_456

export const cheapPasswords = '--import=./test/support/cheap-passwords.ts'

if (process.argv[1]?.endsWith('.test.ts') || process.env.NODE_OPTIONS === cheapPasswords) {
  crypto.argon2 = (algorithm, parameters, callback) => {
    const isServiceHash = parameters.memory === serviceMemoryKiB
    return argon2(algorithm, isServiceHash ? { ...parameters, memory: 64, passes: 1 } : parameters, callback)
  }
  syncBuiltinESMExports()
}
