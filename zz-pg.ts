import { startPostgres } from './test/support/postgres.ts'
import { writeFileSync, readFileSync } from 'node:fs'
const s = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=1000'], undefined, '/dev/shm')
writeFileSync('/tmp/s3t-pg.env', `${s.url} ${readFileSync(s.directory + '/postmaster.pid', 'utf8').split('\n')[0]}`)
process.on('SIGTERM', async () => { await s.remove(); process.exit(0) })
setInterval(() => {}, 1000)
