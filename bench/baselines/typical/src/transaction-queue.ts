import { Injectable } from '@nestjs/common'
import { DataSource, type EntityManager } from 'typeorm'

/** Runs transactions one after another, because TypeORM has a single connection to SQLite. */
@Injectable()
export class TransactionQueue {
  private last: Promise<unknown> = Promise.resolve()

  constructor(private readonly dataSource: DataSource) {}

  run<Result>(callback: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const result = this.last.then(() => this.dataSource.transaction(callback))
    this.last = result.catch(() => {})
    return result
  }
}
