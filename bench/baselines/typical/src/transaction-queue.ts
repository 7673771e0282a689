import { Injectable } from '@nestjs/common'
import { DataSource, type EntityManager } from 'typeorm'

/** One transaction after another: TypeORM has one connection to SQLite, on which two at once would get into each other. */
@Injectable()
export class TransactionQueue {
  private last: Promise<unknown> = Promise.resolve()

  constructor(private readonly dataSource: DataSource) {}

  run<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const result = this.last.then(() => this.dataSource.transaction(work))
    this.last = result.catch(() => {})
    return result
  }
}
