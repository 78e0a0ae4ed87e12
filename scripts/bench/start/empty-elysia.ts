import process from 'node:process'
import { Elysia } from 'elysia'

/** A program of Elysia that does nothing. */
const { server } = new Elysia()
  .get('/health', () => ({ status: 'ok' }))
  .listen({
    port: 0,
    hostname: '127.0.0.1',
  })
console.log(`listening on http://127.0.0.1:${server?.port}`)
process.on('SIGTERM', () => process.exit(0))
