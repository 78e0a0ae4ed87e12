import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { argv } from 'node:process'
import { loadIdentity } from '#agent/trust/identity.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { answersOf } from './answers.ts'

/** Answers like an enrolled agent with 20 sites, to any request: the proofs are not checked. */
const { files } = fakeHost()
const identity = await loadIdentity(files, '/var/lib/hosting-agent', Date.now())
const { tls_key: key, certificate: cert, public_key } = identity
const bodies = answersOf('v1')
const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
  const body = bodies.get((request.url ?? '').split('?')[0] ?? '')
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
  response.end(body ?? JSON.stringify({ error: 'Not found', message: 'Endpoint not found' }))
})
await writeFile(argv[2] ?? '', JSON.stringify({ certificate: cert, public_key }))
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
