import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  NotFoundException,
  Post,
  Query,
  Req,
  UseInterceptors,
} from '@nestjs/common'
import type { AuthenticatedRequest } from './api-key.guard.js'
import { CreateCustomerDto } from './create-customer.dto.js'
import { CustomersService } from './customers.service.js'
import { FindCustomersDto } from './find-customers.dto.js'
import { Scope } from './scope.decorator.js'

/** Uses the same paths as the service, so that the benchmarks can send the same requests to both. */
@Controller('customers.php')
@UseInterceptors(ClassSerializerInterceptor)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Post()
  @Scope('customers:write')
  create(@Req() { apiKey }: AuthenticatedRequest, @Body() values: CreateCustomerDto) {
    return this.customers.create(apiKey, values)
  }

  @Get()
  @Scope('customers:read')
  async find(@Req() { apiKey }: AuthenticatedRequest, @Query() { id, after, limit }: FindCustomersDto) {
    if (id === undefined) return this.customers.findPage(apiKey.tenantId, after, limit)
    const customer = await this.customers.findOne(apiKey.tenantId, id)
    if (!customer) throw new NotFoundException()
    return customer
  }
}
