import { expect, test } from 'bun:test'
import { probeNames, publishToken, withdrawAllTokens } from '#agent/features/domains/probe-names.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { tlsSite } from '#tests/support/agent/tls-site.ts'

const NAMES = ['a.example', 'www.a.example']
const LEFT = [
  {
    name: 'a.example',
    reason:
      'its DNS record leads to 5.9.0.3, which answers 404 instead of the token of this server',
  },
  { name: 'www.a.example', reason: 'it has no A and no AAAA record in DNS' },
]

/** A site whose resolver has a record that leads elsewhere, and none; `fresh` is what its zone has. */
async function keptRecords(fresh: () => (string[] | null)[]) {
  const host = await tlsSite()
  const kept = [['5.9.0.2', '5.9.0.3'], []]
  host.net.resolve = async (names, options?: { fresh?: boolean }) => {
    const found = options?.fresh ? fresh() : kept
    return names.map((name) => found[NAMES.indexOf(name)] ?? null)
  }
  host.visitor.visit = async (visits) =>
    visits.map(() => ({ status: 404, body: '', headers: {}, ms: 1 }))
  return host
}

test.each<[string, () => (string[] | null)[], typeof LEFT]>([
  ['count if the zone has them, in any order', () => [['5.9.0.3', '5.9.0.2'], []], LEFT],
  ['do not count if the zone has others', () => [['5.9.0.1'], ['5.9.0.1']], []],
  [
    'do not count if the zone has more',
    () => [['5.9.0.2', '5.9.0.3', '2a01::1'], []],
    LEFT.slice(1),
  ],
  ['do not count if its name servers do not answer', () => [null, null], []],
  [
    'do not count if nothing can be asked',
    () => {
      throw new Error('the network could not be used')
    },
    [],
  ],
])('records of the resolver with which a name can only fail %s', async (_, fresh, left_out) => {
  const host = await keptRecords(fresh)
  const served = NAMES.filter((name) => !left_out.some((left) => left.name === name))

  expect(await probeNames(host, NAMES)).toEqual({ served, left_out })
})

test('they count for an authority in the own network, and a cancel is passed on', async () => {
  const host = await keptRecords(() => {
    throw conflict('cancelled')
  })
  await expect(probeNames(host, NAMES)).rejects.toThrow('cancelled')

  host.settings.acme_ca_file = '/etc/hosting-agent/ca.pem'

  expect(await probeNames(host, NAMES)).toEqual({ served: [], left_out: LEFT })
})

test('tokens of orders that were cut off are removed', async () => {
  const host = await tlsSite()
  const before = host.disk.all
  for (const token of ['first', 'second']) await publishToken(host, token, token)

  await withdrawAllTokens(host)

  expect(host.disk.all).toEqual(before)
})

test('a token that stays does not fail its order', async () => {
  const host = await tlsSite()
  await publishToken(host, 'first', 'first')
  host.disk.guard = (action) => {
    if (action.startsWith('remove')) throw new Error('EIO')
  }

  await expect(withdrawAllTokens(host)).resolves.toBeUndefined()
})
