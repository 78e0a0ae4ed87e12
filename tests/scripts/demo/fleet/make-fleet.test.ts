import { expect, test } from 'bun:test'
import { makeFleet } from '#scripts/demo/fleet/make-fleet.ts'
import { Load } from '#scripts/demo/machine/machine.ts'
import { Domain, Hostname, SystemUser } from '#shared/kernel/fields.ts'
import { apexOf } from '#shared/kernel/names.ts'

const HOUR_MS = 3_600_000
const MONDAY = Date.UTC(2026, 5, 1)

const namesIn = (seed: string) =>
  makeFleet(seed, { servers: 12, sites: 60 }).servers.map(({ hostname, sites }) => [
    hostname,
    ...sites.map(({ domain, user, php, kit }) => [domain, user, php, kit.core]),
  ])

test('the same seed creates the same fleet, and another seed another one', () => {
  expect(namesIn('a')).toEqual(namesIn('a'))
  expect(namesIn('a')).not.toEqual(namesIn('b'))
})

test('ten thousand sites have names that are valid, and no two share one', () => {
  const { servers } = makeFleet('demo', { servers: 40, sites: 10_000 })
  const sites = servers.flatMap((server) => server.sites)
  const valid = sites.filter(
    ({ domain, user }) =>
      Domain.safeParse(domain).data === domain && SystemUser.safeParse(user).success,
  )

  expect(valid).toHaveLength(10_000)
  expect(new Set(sites.map(({ domain }) => apexOf(domain))).size).toBe(10_000)
  expect(new Set(sites.map(({ user }) => user)).size).toBe(10_000)
  expect(new Set(servers.map(({ hostname }) => Hostname.parse(hostname))).size).toBe(40)
})

test('names belong to nobody', () => {
  const { servers } = makeFleet('demo', { servers: 12, sites: 300 })
  const names = servers.flatMap(({ hostname, sites }) => [
    hostname,
    ...sites.map(({ domain }) => domain),
  ])

  expect(names.filter((name) => !/(\.example|\bexample\.(com|net|org))$/.test(name))).toEqual([])
})

test('a server is busier by day than by night, and never the same twice', () => {
  const load = new Load('server', 0.5)
  const around = (hour: number) =>
    Array.from({ length: 7 }, (_, day) => load.at(MONDAY + (day * 24 + hour) * HOUR_MS))
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

  expect(mean(around(15))).toBeGreaterThan(2 * mean(around(3)))
  expect(new Set(around(15)).size).toBe(7)
  expect(load.at(MONDAY)).toBe(new Load('server', 0.5).at(MONDAY))
})
