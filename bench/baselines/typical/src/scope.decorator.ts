import { Reflector } from '@nestjs/core'

/** The scope that a handler requires. */
export const Scope = Reflector.createDecorator<string>()
