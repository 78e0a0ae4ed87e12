import { beforeEach, expect, test } from 'bun:test'
import { namesOnOtherServers } from '#agent/features/domains/probe-names.ts'
import type { VisitRequest, VisitResult } from '#agent/kernel/host/visit-port.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const PATH = '/.well-known/acme-challenge/t'
const PUBLIC = '5.9.0.1'
const OTHER = '5.9.0.2'
const IPV6 = '2a01:4f8::1'
const answer = (status: number, body: string, from = PUBLIC, location?: string): VisitResult => ({
  ...{ status, body, from, ms: 1 },
  headers: location === undefined ? {} : { location },
})
const TOKEN = answer(200, 't\n')
const NONE = answer(404, 'not here')
const SILENT: VisitResult = { failed: 'timeout', ms: 5000 }
const NAT = '10.0.0.5'
const LIMITED = { timeout_ms: 5000, is_elsewhere: true }

let host: FakeHost
let asked: VisitRequest[]
beforeEach(() => {
  host = fakeHost()
  asked = []
})

/** By address, or `https` and the address. */
function answering(answers: Record<string, VisitResult | ((name: string) => VisitResult)>): void {
  host.visitor.visit = async (visits) => {
    asked.push(...visits)
    return visits.map(({ host: name, tls, address = '' }) => {
      const found = answers[tls ? `https ${address}` : address] ?? SILENT
      return typeof found === 'function' ? found(name) : found
    })
  }
}

const find = async (records: Record<string, string[] | null>) =>
  Object.fromEntries(
    await namesOnOtherServers(
      host,
      { path: PATH, text: 't', primary: 'a.example' },
      new Map(Object.entries(records)),
    ),
  )

const leads = (address: string, status: number) =>
  `its DNS record leads to ${address}, which answers ${status} instead of the token of this server`

test('a name that leads to another server is reported with its address and answer', async () => {
  answering({ [PUBLIC]: TOKEN, [OTHER]: NONE })

  expect(await find({ 'a.example': [PUBLIC], 'b.example': [OTHER] })).toEqual({
    'b.example': leads(OTHER, 404),
  })
  expect(asked).toEqual([
    { host: 'a.example', path: PATH, tls: false, address: PUBLIC, ...LIMITED },
    { host: 'b.example', path: PATH, tls: false, address: OTHER, ...LIMITED },
  ])
})

test.each<[string, VisitResult]>([
  ['no answer', SILENT],
  ['a refused connection, as without hairpin', { failed: 'refused', ms: 1 }],
  ['a failure of a content delivery network', answer(522, '')],
  ['a check of browsers', answer(403, '')],
  ['a redirect to another name', answer(301, '', PUBLIC, `https://www.a.example${PATH}`)],
])('the authority decides after %s', async (_, visited) => {
  answering({ [OTHER]: visited })

  expect(await find({ 'a.example': [OTHER] })).toEqual({})
})

test.each<[string, VisitResult, Record<string, string>]>([
  ['the token', TOKEN, {}],
  ['another page', answer(200, 'welcome'), { 'a.example': leads(OTHER, 200) }],
])('a redirect to https that has %s is followed', async (_, secure, expected) => {
  const redirect = answer(301, '', PUBLIC, `https://a.example${PATH}`)
  answering({ [OTHER]: redirect, [`https ${OTHER}`]: secure })

  expect(await find({ 'a.example': [OTHER] })).toEqual(expected)
})

test('one of two addresses that leads elsewhere is enough, as the authority may choose it', async () => {
  answering({ [PUBLIC]: TOKEN, [OTHER]: NONE })

  expect(await find({ 'a.example': [PUBLIC, OTHER] })).toEqual({ 'a.example': leads(OTHER, 404) })
})

test.each<[string, Record<string, VisitResult>, Record<string, string>]>([
  ['wins if it has the token', { [IPV6]: TOKEN, [OTHER]: NONE }, {}],
  [
    'wins if it leads elsewhere',
    { [IPV6]: NONE, [OTHER]: TOKEN },
    { 'a.example': leads(IPV6, 404) },
  ],
  ['does not count if it is silent', { [OTHER]: NONE }, { 'a.example': leads(OTHER, 404) }],
])('an IPv6 address %s', async (_, answers, expected) => {
  answering(answers)

  expect(await find({ 'a.example': [OTHER, IPV6] })).toEqual(expected)
})

test('special and private addresses are not contacted, private ones for an own authority only', async () => {
  const all = ['127.0.0.1', '169.254.169.254', '::1', '64:ff9b::a00:1', '10.0.0.1', 'fd00::1']
  answering(Object.fromEntries(all.map((address) => [address, answer(404, '', '10.0.0.2')])))

  expect(await find({ 'a.example': [...all, 'not an address'], 'b.example': null })).toEqual({})
  expect(asked).toEqual([])
  host.settings.acme_ca_file = '/etc/hosting-agent/ca.pem'
  expect(await find({ 'a.example': all })).toEqual({ 'a.example': leads('fd00::1', 404) })
  expect(asked.map(({ address }) => address)).toEqual(['fd00::1', '10.0.0.1'])
})

test('behind NAT, a wrong answer counts only if the NAT leads back to this server', async () => {
  const wrong = answer(404, '', NAT)
  answering({ [OTHER]: wrong })
  expect(await find({ 'a.example': [OTHER] })).toEqual({})

  answering({ [PUBLIC]: answer(200, 't', NAT), [OTHER]: wrong })

  expect(await find({ 'a.example': [PUBLIC], 'b.example': [OTHER] })).toEqual({
    'b.example': leads(OTHER, 404),
  })
})

test('a token that came back through a CDN proves nothing about the NAT', async () => {
  const cdn = '104.16.0.1'
  answering({ [cdn]: answer(200, 't', NAT), [OTHER]: answer(404, '', NAT) })

  expect(await find({ 'www.a.example': [cdn], 'b.example': [OTHER] })).toEqual({})
})

test('behind NAT, no wrong answer decides about the primary domain', async () => {
  answering({ [PUBLIC]: answer(200, 't', NAT), [OTHER]: answer(404, '', NAT) })

  const all = { 'www.a.example': [PUBLIC], 'a.example': [OTHER], 'b.example': [OTHER] }
  expect(await find(all)).toEqual({ 'b.example': leads(OTHER, 404) })
})

test('an address that does not answer is tried for one name only, and all end in time', async () => {
  answering({})
  const names = Array.from({ length: 100 }, (_, at) => `${at}.example`)
  await find(Object.fromEntries(names.map((name) => [name, [OTHER, PUBLIC]])))
  expect(asked).toHaveLength(2)

  asked = []
  const visit = host.visitor.visit
  host.visitor.visit = (visits) => {
    host.time += 20_000
    return visit(visits)
  }
  await find(
    Object.fromEntries(
      names.map((name, at) => [name, [1, 2, 3, 4, 5].map((last) => `5.10.${at}.${last}`)]),
    ),
  )

  expect(asked).toHaveLength(3 * 32)
})

test('without its network helper the authority decides, but a cancel is passed on', async () => {
  host.visitor.visit = () => Promise.reject(new Error('the network could not be used'))
  expect(await find({ 'a.example': [OTHER] })).toEqual({})

  host.visitor.visit = () => Promise.reject(notFound('Operation'))
  expect(find({ 'a.example': [OTHER] })).rejects.toThrow('Operation')
})
