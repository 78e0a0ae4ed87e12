import { afterEach, expect, test } from 'bun:test'
import { type Connection, Connections, groupOf, type Peer } from '#agent/kernel/http/connections.ts'

const LIMITS = { total: 4, per_address: 3, requests: 2 }
const UNREAD = { writableLength: 0 }

let connections = new Connections(LIMITS)
let ended: string[] = []
afterEach(() => {
  connections.endAll()
  connections = new Connections(LIMITS)
  ended = []
})

function peer(name: string, remoteAddress: string): Peer {
  const nothing = () => undefined
  return {
    remoteAddress,
    writableLength: 0,
    destroy: () => ended.push(name),
    on: nothing,
    once: nothing,
  }
}

function admit(name: string, address: string): Connection {
  const connection = connections.admit(peer(name, address))
  if (!connection) throw new Error(`${name} was not admitted`)
  return connection
}

test('closes the oldest connection of an address that reached its share', () => {
  for (const name of ['a1', 'a2', 'a3', 'a4']) admit(name, '192.0.2.1')

  expect([ended, connections.size]).toEqual([['a1'], 3])
})

test('closes a connection of the address with the most when all slots are used', () => {
  admit('b1', '192.0.2.2')
  for (const name of ['a1', 'a2', 'a3']) admit(name, '192.0.2.1')

  admit('c1', '192.0.2.3')

  expect([ended, connections.size]).toEqual([['a1'], 4])
})

test('never closes an authenticated connection for another one', () => {
  for (const name of ['a1', 'a2', 'a3']) admit(name, '192.0.2.1').trust()
  admit('b1', '192.0.2.2')

  admit('c1', '192.0.2.3').trust()

  expect(ended).toEqual(['b1'])
  expect(connections.admit(peer('e1', '192.0.2.4'))).toBeUndefined()
  expect([ended, connections.size]).toEqual([['b1', 'e1'], 4])
})

test('a request of the dashboard replaces the oldest unauthenticated connection', () => {
  const strangers = ['a1', 'a2'].map((name) => admit(name, '192.0.2.1'))
  const dashboard = admit('d', '192.0.2.9')
  dashboard.trust()

  const started = [...strangers, dashboard, dashboard].map((each) =>
    connections.begin(each, UNREAD),
  )

  expect([started, ended]).toEqual([
    [true, true, true, true],
    ['a1', 'a2'],
  ])
  expect(connections.begin(dashboard, UNREAD)).toBe(false)
  connections.finish(dashboard)
  expect(connections.begin(dashboard, UNREAD)).toBe(true)
})

test('stops answering an unauthenticated client that does not read', () => {
  const connection = admit('a1', '192.0.2.1')

  expect(connections.begin(connection, { writableLength: 70_000 })).toBe(false)
  expect([ended, connections.size]).toEqual([['a1'], 0])
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, group) => {
  expect(groupOf(address)).toBe(group)
})
