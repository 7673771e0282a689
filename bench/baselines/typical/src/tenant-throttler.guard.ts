import { Injectable } from '@nestjs/common'
import { ThrottlerGuard } from '@nestjs/throttler'
import type { AuthenticatedRequest } from './api-key.guard.js'

/** Counts requests by tenant, not by IP address. */
@Injectable()
export class TenantThrottlerGuard extends ThrottlerGuard {
  protected override async getTracker(request: AuthenticatedRequest): Promise<string> {
    return String(request.apiKey.tenantId)
  }
}
