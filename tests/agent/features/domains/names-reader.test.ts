import { expect, test } from 'bun:test'
import * as phases from '#agent/features/domains/issue-phase.ts'
import { namesReader } from '#agent/features/domains/names-reader.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { tlsSite } from '#tests/support/agent/tls-site.ts'

test('while a request is running, records are looked up once in ten seconds', async () => {
  const host = await tlsSite()
  let lookups = 0
  const { resolve } = host.net
  host.net.resolve = async (names) => {
    lookups++
    return resolve(names)
  }
  const read = namesReader(host)
  const reads = async (seconds: number) => {
    const before = lookups
    for (let at = 0; at < seconds; at += 2) {
      await read('a.example')
      host.time += 2000
    }
    return lookups - before
  }
  expect(await reads(20)).toBe(10)

  const phase = { phase: 'issuing' as const, names: ['a.example'] }
  expect(await phases.inPhase(host, 'a.example', phase, () => reads(20))).toBe(2)

  expect(await reads(4)).toBe(2)
})

test('records of other names, and a lookup that failed, are not used again', async () => {
  const host = await tlsSite()
  const asked: (readonly string[])[] = []
  host.net.resolve = async (names) => {
    if (asked.push(names) === 1) throw new Error('the network could not be used')
    return names.map(() => null)
  }
  const read = namesReader(host)

  await phases.inPhase(host, 'a.example', { phase: 'issuing', names: [] }, async () => {
    await expect(read('a.example')).rejects.toThrow('the network')
    await read('a.example')
    const names = { www: 'serve' as const, aliases: ['b.example'], redirects: [] }
    await writeSite(host, { ...(await getSite(host, 'a.example')), names })
    await read('a.example')
  })

  const pair = ['a.example', 'www.a.example']
  expect(asked).toEqual([pair, pair, [...pair, 'b.example']])
})
