// What the service is compared with: customers over HTTP, as a team would write it with NestJS, TypeORM and class-validator.
// A program of its own: `npm ci && npm run build && npm run seed && npm start`; the DATABASE is a file.

import 'reflect-metadata'
import { ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
app.enableShutdownHooks()
await app.listen(0, '127.0.0.1')
process.stderr.write(`The API is at ${(await app.getUrl()).replace('[::1]', '127.0.0.1')}\n`)
