// Makes password hashing cheap in this process, for tests that sign in: a third of the time of their files. The service takes its
// reference to Argon2 when it is loaded, so a test that imports more than types of the service has to import this first. A server
// in another process that is to know these passwords is started with `NODE_OPTIONS=${cheapPasswords}`; the service has no setting
// for this. Programs that are no tests, such as measurements, are left alone.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { argon2 } = crypto

/** The service's memory cost, in KiB. Hashes with other parameters are computed as they are. */
const memoryOfService = 19_456

export const cheapPasswords = '--import=./test/support/cheap-passwords.ts'

if (process.argv[1]?.endsWith('.test.ts') || process.env.NODE_OPTIONS === cheapPasswords) {
  crypto.argon2 = (algorithm, parameters, callback) => {
    const isOfService = parameters.memory === memoryOfService
    return argon2(algorithm, isOfService ? { ...parameters, memory: 64, passes: 1 } : parameters, callback)
  }
  syncBuiltinESMExports()
}
