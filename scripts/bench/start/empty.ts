import process from 'node:process'

/** A server of Bun that does nothing. */
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('{}') })
console.log(`listening on http://127.0.0.1:${server.port}`)
process.on('SIGTERM', () => process.exit(0))
