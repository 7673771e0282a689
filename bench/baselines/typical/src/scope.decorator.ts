import { Reflector } from '@nestjs/core'

/** What a key must be allowed for a handler. */
export const Scope = Reflector.createDecorator<string>()
