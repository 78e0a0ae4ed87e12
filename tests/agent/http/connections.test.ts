import { afterEach, expect, test } from 'bun:test'
import { type Connection, Connections, groupOf, type Peer } from '#agent/http/connections.ts'

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

test('an address that has its share loses its oldest connection to the newest', () => {
  for (const name of ['a1', 'a2', 'a3', 'a4']) admit(name, '192.0.2.1')

  expect([ended, connections.size]).toEqual([['a1'], 3])
})

test('when all places are taken, the address with the most loses one', () => {
  admit('b1', '192.0.2.2')
  for (const name of ['a1', 'a2', 'a3']) admit(name, '192.0.2.1')

  admit('c1', '192.0.2.3')

  expect([ended, connections.size]).toEqual([['a1'], 4])
})

test('a connection that has shown a proof is pushed out by nobody', () => {
  for (const name of ['a1', 'a2', 'a3']) admit(name, '192.0.2.1').trust()
  admit('b1', '192.0.2.2')

  admit('c1', '192.0.2.3').trust()

  expect(ended).toEqual(['b1'])
  expect(connections.admit(peer('e1', '192.0.2.4'))).toBeUndefined()
  expect([ended, connections.size]).toEqual([['b1', 'e1'], 4])
})

test('a request of the dashboard gets the place of the oldest stranger', () => {
  const strangers = ['a1', 'a2'].map((name) => admit(name, '192.0.2.1'))
  const dashboard = admit('d', '192.0.2.9')
  dashboard.trust()

  const begun = [...strangers, dashboard, dashboard].map((each) => connections.begin(each, UNREAD))

  expect([begun, ended]).toEqual([
    [true, true, true, true],
    ['a1', 'a2'],
  ])
  expect(connections.begin(dashboard, UNREAD)).toBe(false)
  connections.finish(dashboard)
  expect(connections.begin(dashboard, UNREAD)).toBe(true)
})

test('a stranger who does not read the answers gets no more', () => {
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
