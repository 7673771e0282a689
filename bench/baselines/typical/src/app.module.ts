import { Module } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { ThrottlerModule } from '@nestjs/throttler'
import { TypeOrmModule } from '@nestjs/typeorm'
import { ApiKey } from './api-key.entity.js'
import { ApiKeyGuard } from './api-key.guard.js'
import { CustomersModule } from './customers.module.js'
import { databaseOptions } from './database.js'
import { TenantThrottlerGuard } from './tenant-throttler.guard.js'

@Module({
  imports: [
    TypeOrmModule.forRoot(databaseOptions),
    TypeOrmModule.forFeature([ApiKey]),
    // Requests are counted, but the limit is never reached.
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: 1_000_000_000 }]),
    CustomersModule,
  ],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: TenantThrottlerGuard },
  ],
})
export class AppModule {}
