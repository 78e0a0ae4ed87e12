import { expect, test } from 'bun:test'
import { recordLeftOutNames, recordRefusal } from '#agent/features/domains/failed-requests.ts'
import * as phases from '#agent/features/domains/issue-phase.ts'
import { nameStates } from '#agent/features/domains/names-reader.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import type { NameState } from '#shared/domains/name-states.ts'
import { issue, resolving, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, namedPem } from '#tests/support/fixtures/certificates.ts'

const states = async (host: FakeHost) => {
  const { names, ...rest } = await nameStates(host, await getSite(host, 'a.example'))
  return {
    ...rest,
    names: Object.fromEntries(names.map(({ name, certificate }) => [name, certificate])),
  }
}
const is = (
  state: NameState['certificate']['state'],
  reason = '',
  next_at: string | null = null,
) => ({
  state,
  reason,
  next_at,
})

test('has the records of each name, and null where no name server answered', async () => {
  const host = await tlsSite()
  resolving(host, { 'a.example': ['192.0.2.1'] })

  const { names } = await nameStates(host, await getSite(host, 'a.example'))

  expect(names.map(({ name, records }) => [name, records])).toEqual([
    ['a.example', ['192.0.2.1']],
    ['www.a.example', null],
  ])
})

test('a site without a certificate has none for any name', async () => {
  const host = await tlsSite()

  expect(await states(host)).toEqual({
    ...{ self_signed: false, expires_at: '' },
    names: { 'a.example': is('none'), 'www.a.example': is('none') },
  })
})

test('a certificate is active, then due, then expired', async () => {
  const host = await tlsSite()
  host.answer('openssl req', namedPem)
  await issue(host, 'self-signed')
  const now = host.time
  const { self_signed, expires_at, names } = await states(host)
  const at = async (time: number) => {
    host.time = time
    return (await states(host)).names['a.example']
  }

  expect([self_signed, names]).toEqual([
    false,
    { 'a.example': is('active'), 'www.a.example': is('active') },
  ])
  const ends = Date.parse(expires_at)
  expect(await at(ends - (ends - now) / 10)).toEqual(is('renewing'))
  expect(await at(ends + 1)).toEqual(is('expired'))
})

test('a name that the certificate lacks is blocked with the reason and the next attempt', async () => {
  const host = await tlsSite()
  host.answer('openssl req', namedPem)
  await issue(host, 'self-signed')
  const site = await getSite(host, 'a.example')
  const names = { www: 'serve' as const, aliases: ['dead.example', 'new.example'], redirects: [] }
  await writeSite(host, { ...site, names })
  const left = [{ name: 'dead.example', reason: 'it has no A and no AAAA record in DNS' }]
  await recordLeftOutNames(host, ['dead.example', 'new.example'], left)

  const { names: known } = await states(host)

  const next_at = new Date(host.time + 10 * 60_000).toISOString()
  expect(known).toMatchObject({
    'a.example': is('active'),
    'dead.example': is('blocked', 'it has no A and no AAAA record in DNS', next_at),
    'new.example': is('waiting'),
  })
})

test('a refused site without a certificate is blocked by the reason of the authority', async () => {
  const host = await tlsSite()
  await writeSite(host, { ...(await getSite(host, 'a.example')), tls: 'letsencrypt' })
  await recordRefusal(host, 'a.example', 'too many certificates')

  const { names } = await states(host)

  const next_at = new Date(host.time + 10 * 60_000).toISOString()
  const blocked = is('blocked', 'too many certificates', next_at)
  expect(names).toEqual({ 'a.example': blocked, 'www.a.example': blocked })
})

test('the names of a running request are checked, then issued, and active in the end', async () => {
  const host = await tlsSite()
  const seen: unknown[] = []
  const look = async () => void seen.push((await states(host)).names)
  const { resolve } = host.net
  host.net.resolve = async (names) => {
    // The reading itself looks up records, too.
    if (seen.push('resolving') === 1) await look()
    return resolve(names)
  }
  host.acme.order = async () => {
    await look()
    return { chain: authorityPem }
  }

  await issue(host, 'letsencrypt')

  const all = (state: NameState['certificate']['state']) => ({
    'a.example': is(state),
    'www.a.example': is(state),
  })
  expect(seen.filter((each) => each !== 'resolving')).toEqual([all('checking'), all('issuing')])
  expect(Object.keys(host.disk.all).filter((path) => path.includes('phase'))).toEqual([])
})

test('a covered name is renewed while a request for it is running', async () => {
  const host = await tlsSite()
  host.answer('openssl req', namedPem)
  await issue(host, 'self-signed')
  const names = ['a.example']

  const during = await phases.inPhase(host, 'a.example', { phase: 'issuing', names }, () =>
    states(host),
  )

  expect(during.names).toEqual({ 'a.example': is('renewing'), 'www.a.example': is('renewing') })
  expect((await states(host)).names['a.example']).toEqual(is('active'))
})

test('a request that was cut off is no longer running', async () => {
  const host = await tlsSite()
  const names = ['a.example']
  const never = () => new Promise<never>(() => undefined)
  void phases.inPhase(host, 'a.example', { phase: 'checking', names }, never)
  await Bun.sleep(0)
  const state = async () => (await states(host)).names['a.example']
  expect(await state()).toEqual(is('checking'))

  host.time += 20 * 60_000
  expect(await state()).toEqual(is('none'))
  host.time -= 20 * 60_000
  await phases.removeLeftoverPhases(host)

  expect(await state()).toEqual(is('none'))
})

test('a request does not fail because its phase cannot be recorded', async () => {
  const host = await tlsSite()
  host.disk.guard = (action) => {
    if (action.includes('phase')) throw new Error('ENOSPC')
  }

  const work = phases.inPhase(
    host,
    'a.example',
    { phase: 'issuing', names: [] },
    async () => 'done',
  )

  expect(await work).toBe('done')
})
