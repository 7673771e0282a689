import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { MoreThan, Repository } from 'typeorm'
import type { ApiKey } from './api-key.entity.js'
import { Change } from './change.entity.js'
import type { CreateCustomerDto } from './create-customer.dto.js'
import { Customer } from './customer.entity.js'
import { TransactionQueue } from './transaction-queue.js'

@Injectable()
export class CustomersService {
  constructor(
    @InjectRepository(Customer) private readonly customers: Repository<Customer>,
    private readonly transactions: TransactionQueue,
  ) {}

  create({ id: apiKeyId, tenantId }: ApiKey, values: CreateCustomerDto): Promise<Customer> {
    return this.transactions.run(async (manager) => {
      const customer = await manager.save(manager.create(Customer, { ...values, tenantId }))
      await manager.insert(Change, {
        tenantId,
        resource: 'customers',
        recordId: customer.id,
        action: 'create',
        before: null,
        after: { ...values },
        apiKeyId,
      })
      return customer
    })
  }

  findOne(tenantId: number, id: number): Promise<Customer | null> {
    return this.customers.findOneBy({ tenantId, id })
  }

  async findPage(tenantId: number, after: number, limit: number) {
    const where = { tenantId, id: MoreThan(after) }
    const customers = await this.customers.find({ where, order: { id: 'ASC' }, take: limit + 1 })
    const data = customers.slice(0, limit)
    const hasMore = customers.length > limit
    return { data, page: { limit, has_more: hasMore, next: hasMore ? data.at(-1)!.id : null } }
  }
}
