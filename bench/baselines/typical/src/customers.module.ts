import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { Customer } from './customer.entity.js'
import { CustomersController } from './customers.controller.js'
import { CustomersService } from './customers.service.js'
import { TransactionQueue } from './transaction-queue.js'

@Module({
  imports: [TypeOrmModule.forFeature([Customer])],
  controllers: [CustomersController],
  providers: [CustomersService, TransactionQueue],
})
export class CustomersModule {}
