// Makes password hashing cheap in this process, for tests that sign in: a third of the time of their files. The service takes its
// reference to Argon2 when it is loaded, so a test that imports more than types of the service has to import this first. The
// service has no setting for this.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { argon2 } = crypto

/** The service's memory cost, in KiB. Hashes with other parameters are computed as they are. */
const memoryOfService = 19_456

crypto.argon2 = (algorithm, parameters, callback) => {
  const isOfService = parameters.memory === memoryOfService
  return argon2(algorithm, isOfService ? { ...parameters, memory: 64, passes: 1 } : parameters, callback)
}
syncBuiltinESMExports()
