import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { argv } from 'node:process'
import { loadIdentity } from '#agent/trust/identity.ts'
import { numberOf } from '#scripts/bench/sync/addresses.ts'
import { answersOf, EVERY } from '#scripts/bench/sync/answers.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

/** As long as an agent keeps a connection: a fleet of any size uses them again in each minute. */
const KEEP_ALIVE_MS = 80_000

/** Answers like enrolled agents with 20 sites each, as ../sync/agents.ts does. */
const { files } = fakeHost()
const identity = await loadIdentity(files, '/var/lib/hosting-agent', Date.now())
const { tls_key: key, certificate: cert, public_key } = identity
const bodies = answersOf('v1')
const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
  const usual = bodies.get((request.url ?? '').split('?')[0] ?? '')
  const own = `.s${numberOf(request.socket.localAddress ?? '')}${EVERY}`
  const body = usual?.replaceAll(EVERY, own)
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
  response.end(body ?? JSON.stringify({ error: 'Not found', message: 'Endpoint not found' }))
})
server.keepAliveTimeout = KEEP_ALIVE_MS
await writeFile(argv[2] ?? '', JSON.stringify({ certificate: cert, public_key }))
server.listen(0, '0.0.0.0', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
