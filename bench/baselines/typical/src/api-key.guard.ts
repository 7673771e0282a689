import { createHash } from 'node:crypto'
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { InjectRepository } from '@nestjs/typeorm'
import type { Request } from 'express'
import { Repository } from 'typeorm'
import { ApiKey } from './api-key.entity.js'
import { Scope } from './scope.decorator.js'

export type AuthenticatedRequest = Request & { apiKey: ApiKey }

/** Looks up the key in the database on each request. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>()
    const [type, token] = request.headers.authorization?.split(' ') ?? []
    if (type !== 'Bearer' || !token) throw new UnauthorizedException()
    const apiKey = await this.apiKeys.findOneBy({ hash: createHash('sha256').update(token).digest('hex') })
    if (!apiKey || apiKey.revokedAt) throw new UnauthorizedException()
    const scope = this.reflector.get(Scope, context.getHandler())
    if (scope && !apiKey.scopes.includes(scope)) throw new ForbiddenException()
    request.apiKey = apiKey
    return true
  }
}
