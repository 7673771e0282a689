// The typical stack that the benchmarks compare the service with: an API for customers, written with NestJS, TypeORM
// and class-validator. It is a separate program: run it with `npm ci && npm run build && npm run seed && npm start`.
// The environment variable DATABASE contains its SQLite file's path.

import 'reflect-metadata'
import { ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
app.enableShutdownHooks()
await app.listen(0, '127.0.0.1')
process.stderr.write(`The API is at ${(await app.getUrl()).replace('[::1]', '127.0.0.1')}\n`)
