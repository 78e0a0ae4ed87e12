import { argv } from 'node:process'

/** This is the fastest answer: bare Bun.serve with the bytes of a file. */
const bytes = await Bun.file(argv[2] ?? '').bytes()
const headers = { 'content-type': 'application/json' }
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(bytes, { headers }),
})
console.log(`listening on http://127.0.0.1:${server.port}`)
