import { expect, test } from 'bun:test'
import { processesOf } from '#agent/features/object-cache/paths.ts'
import { readObjectCache } from '#agent/features/object-cache/state.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const INFO = [
  ...['# Memory', 'used_memory:9437184', 'used_memory_human:9.00M', '# Stats'],
  ...['keyspace_hits:90', 'keyspace_misses:10', 'evicted_keys:3', '# Keyspace'],
  'db0:keys=42,expires=7,avg_ttl=0',
].join('\r\n')
const NUMBERS = { used: 9_437_184, objects: 42, hits: 90, misses: 10, evicted: 3 }

async function cached(info: string) {
  const host = await server(shop)
  await writeSite(host, { ...shop, object_cache: { memory: 512 } })
  await host.disk.write('/usr/bin/redis-check-rdb', '')
  await host.disk.write(processesOf('shop'), '71\n')
  host.answer('/usr/bin/redis-cli', info)
  return host
}

test('has the numbers of the server, within the limit of the tier', async () => {
  const host = await cached(INFO)

  expect(await readObjectCache(host, shop.domain)).toEqual({
    ...{ memory: 512, limit: 128, numbers: NUMBERS, drop_in: 'none', other: null },
  })
  const { options } = host.runs.find(({ line }) => line.startsWith('/usr/bin/redis-cli')) ?? {}
  expect(options?.site?.user).toBe('shop')
  expect(options?.site?.directives).toContain('PrivateNetwork=yes')
})

test.each(['', 'NOAUTH', 'used_memory:-1', INFO.replace('90', `${'9'.repeat(16)}`)])(
  'an answer %j is none',
  async (info) => {
    const host = await cached(info)

    expect((await readObjectCache(host, shop.domain)).numbers).toBeNull()
  },
)

test('a site without one is not asked', async () => {
  const host = await cached(INFO)
  await writeSite(host, shop)
  host.runs.length = 0

  expect(await readObjectCache(host, shop.domain)).toEqual({
    ...{ memory: null, limit: null, numbers: null, drop_in: 'none', other: null },
  })
  expect(host.ran.join('\n')).not.toContain('redis-cli')
})
