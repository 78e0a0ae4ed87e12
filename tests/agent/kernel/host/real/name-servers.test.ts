import { expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import {
  askServer,
  type DnsMessage,
  type DnsRecord,
  freshRecords,
  type NameServers,
} from '#agent/kernel/host/real/name-servers.ts'

const TOP = '5.1.0.1'
const OWN = '5.2.0.1'
const OTHER = '5.3.0.1'

const message = (some: Partial<DnsMessage>): DnsMessage => ({
  ...{ id: 1, code: 'NOERROR', is_authoritative: true, is_truncated: false, question: '' },
  ...{ answers: [], authority: [], additional: [], ...some },
})
const a = (name: string, data: string): DnsRecord => ({ name, type: 'A', data })
const alias = (name: string, data: string): DnsRecord => ({ name, type: 'CNAME', data })
const referral = (zone: string, server: string, ...additional: DnsRecord[]) =>
  message({
    is_authoritative: false,
    authority: [{ name: zone, type: 'NS', data: server }],
    additional,
  })

interface World {
  /** By server and name. */
  answers: Record<string, DnsMessage>
  /** As the resolver of this server has them. */
  addresses?: Record<string, string[]>
}

function worldOf({ answers, addresses = {} }: World) {
  const asked: string[] = []
  const servers: NameServers = {
    async ask(server, name, type) {
      if (type === 'A') asked.push(`${server} ${name}`)
      const found = answers[`${server} ${name}`]
      const own = found?.answers.filter((one) => one.type === 'CNAME' || one.type === type)
      return found && own && { ...found, answers: own }
    },
    serversOf: async () => ['a.top.test'],
    addressesOf: async (server) => (server === 'a.top.test' ? [TOP] : (addresses[server] ?? [])),
  }
  return { asked, find: (...names: string[]) => freshRecords(names, servers) }
}

const delegated = referral('example.test', 'ns.example.test', a('ns.example.test', OWN))

test('the name servers of the zone are found from the top-level domain on, and decide', async () => {
  const both = [
    a('example.test', '5.9.0.1'),
    { name: 'example.test', type: 'AAAA', data: '2a01::1' },
  ]
  const { asked, find } = worldOf({
    answers: {
      [`${TOP} example.test`]: delegated,
      [`${OWN} example.test`]: message({ answers: both }),
      [`${TOP} none.example.test`]: delegated,
      [`${OWN} none.example.test`]: message({ code: 'NXDOMAIN' }),
    },
  })

  expect(await find('example.test')).toEqual([['5.9.0.1', '2a01::1']])
  expect(await find('none.example.test')).toEqual([[]])
  expect(asked.slice(0, 2)).toEqual([`${TOP} example.test`, `${OWN} example.test`])
})

test('a name server without an address in the referral is looked up, a private one not asked', async () => {
  const answers = {
    [`${TOP} example.test`]: referral('example.test', 'ns.other.test'),
    [`${OTHER} example.test`]: message({ answers: [a('example.test', '5.9.0.1')] }),
    '10.0.0.1 example.test': message({ answers: [a('example.test', '5.9.0.2')] }),
  }
  const at = (address: string) => worldOf({ answers, addresses: { 'ns.other.test': [address] } })

  expect(await at(OTHER).find('example.test')).toEqual([['5.9.0.1']])
  expect(await at('10.0.0.1').find('example.test')).toEqual([null])
})

test('an alias is followed, within its zone and into another one', async () => {
  const { find } = worldOf({
    answers: {
      [`${TOP} www.example.test`]: delegated,
      [`${OWN} www.example.test`]: message({
        answers: [alias('www.example.test', 'example.test'), a('example.test', '5.9.0.1')],
      }),
      [`${TOP} example.test`]: delegated,
      [`${OWN} example.test`]: message({}),
      [`${TOP} shop.example.test`]: delegated,
      [`${OWN} shop.example.test`]: message({ answers: [alias('shop.example.test', 'x.test')] }),
      [`${TOP} x.test`]: message({ answers: [a('x.test', '5.9.0.3')] }),
      [`${TOP} loop.test`]: message({ answers: [alias('loop.test', 'loop2.test')] }),
      [`${TOP} loop2.test`]: message({ answers: [alias('loop2.test', 'loop.test')] }),
    },
  })

  const names = ['www.example.test', 'shop.example.test', 'loop.test']
  expect(await find(...names)).toEqual([['5.9.0.1'], ['5.9.0.3'], null])
})

test.each<[string, DnsMessage | undefined]>([
  ['does not answer', undefined],
  ['refuses', message({ code: 'REFUSED' })],
  ['cuts off its answer', message({ is_truncated: true })],
  ['answers from a cache', message({ is_authoritative: false, answers: [a('x.test', '5.9.0.1')] })],
  ['refers to itself', referral('test', 'a.top.test', a('a.top.test', TOP))],
])('nothing is known if the name server %s', async (_, answer) => {
  const { find } = worldOf({ answers: answer ? { [`${TOP} x.test`]: answer } : {} })

  expect(await find('x.test')).toEqual([null])
})

test('asks one server by UDP, and takes its answer to this question only', async () => {
  const server = createSocket('udp4')
  const port = await new Promise<number>((resolve) => {
    server.bind(0, '127.0.0.1', () => resolve(server.address().port))
  })
  server.on('message', (question, { port: to, address }) => {
    const answer = Buffer.from(question)
    answer.writeUInt16BE(0x8403, 2)
    const forged = Buffer.from(answer)
    forged.writeUInt16BE(answer.readUInt16BE(0) ^ 1, 0)
    server.send(forged, to, address)
    server.send(answer, to, address)
  })

  expect(await askServer('127.0.0.1', 'example.test', 'A', port)).toMatchObject({
    ...{ code: 'NXDOMAIN', question: 'example.test', is_authoritative: true, answers: [] },
  })
  server.close()
})

test('a server that does not answer has no answer after its time', async () => {
  const silent = createSocket('udp4')
  const port = await new Promise<number>((resolve) => {
    silent.bind(0, '127.0.0.1', () => resolve(silent.address().port))
  })

  expect(await askServer('127.0.0.1', 'example.test', 'A', port)).toBeUndefined()
  silent.close()
})
