// The changes that gave assets to a holder or took them away, read from the history.

import { type Database, limitClause } from '../../engine/database/database.ts'
import { changeColumns } from '../records/changes.ts'
import { changeJson } from './history.ts'
import { formerHolder, memberOf } from './past-items.ts'
import { startSeq } from './start.ts'

/** Lists these changes as JSON text, latest first. Reads only the changes to assets that the holder has or had. */
export async function listHandOuts(
  database: Database,
  { holder, limit, timeoutMs }: { holder: number; limit: number; timeoutMs: number },
): Promise<string[]> {
  database.setBudget(timeoutMs)
  const { engine } = database
  const former = formerHolder(engine)
  const given = `${memberOf(engine, 'after')} ->> 'employee_id'`
  const inHistory = engine === 'sqlite' ? holder : String(holder)
  const rows = await database.all(
    `select ${changeColumns.join(', ')} from changes
     where resource = 'hardware' and seq > ${startSeq} and (${former} = ? or ${given} = ?) and record_id in (
       select id from hardware where employee_id = ?
       union select record_id from changes where ${former} = ? and resource = 'hardware')
     order by seq desc ${limitClause}`,
    [inHistory, inHistory, holder, inHistory, limit],
  )
  return rows.map(changeJson)
}
