import { expect, test } from 'bun:test'
import { z } from 'zod'
import { rawKeyOf } from '#agent/host/public-keys.ts'
import { Agents } from '#dashboard/agents/agents.ts'
import { secureRandom } from '#dashboard/runtime/random.ts'
import { PinnedTransport } from '#dashboard/trust/pinned.ts'
import { encodeChallenge } from '#shared/token.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { nonce, signer } from '#tests/support/trust/sign.ts'
import { TlsAgent } from '#tests/support/trust/tls-agent.ts'

const { kid, public_key, private_key } = signer('h1')
const key = { kid, public_key: rawKeyOf(public_key), private_key }
const clock = new HeldClock()
const GOOD = { good: true } as const
const Good = z.object({ good: z.literal(true) })

test('requests at the same time all receive the nonce of the process', async () => {
  const agent = await TlsAgent.start()
  const boot = nonce()
  const held = Promise.withResolvers<void>()
  let refused = 0
  agent.answer = async ({ headers: { authorization = '' } }, response) => {
    const payload = Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()
    if (JSON.parse(payload).boot === boot) return response.end(JSON.stringify(GOOD))
    refused += 1
    // All are signed before one is refused.
    if (refused === 3) held.resolve()
    await held.promise
    const challenge = encodeChallenge(boot, clock.now().getTime() / 1000)
    return response.writeHead(401, { 'www-authenticate': challenge }).end()
  }
  const to = { id: 1, hostname: '127.0.0.1', port: agent.port }
  const rules = { production: false, allow_private: true }
  const { certificate, public_key: theirs } = agent.identity
  const row = { server_id: 1, certificate, public_key: theirs, enrolled_at: '' }
  const transport = new PinnedTransport(
    { clock, random: secureRandom, key, rules },
    to,
    row as ConstructorParameters<typeof PinnedTransport>[2],
  )
  const agents = new Agents({ transports: async () => transport, timeout_ms: 10_000 })
  const ask = () => agents.get(to, '/metrics', Good).catch((error: Error) => error.message)

  const all = await Promise.all([ask(), ask(), ask()])

  transport.close()
  await agent.stop()
  expect(all).toEqual([GOOD, GOOD, GOOD])
  expect(refused).toBe(3)
})
