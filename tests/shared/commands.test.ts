import { expect, test } from 'bun:test'
import { COMMANDS } from '#shared/commands.ts'

test('finds each command by the name in its contract', () => {
  for (const [name, contract] of Object.entries(COMMANDS)) expect(contract.name).toBe(name as never)
})

test('has at least the commands of the specification', () => {
  expect(Object.keys(COMMANDS)).toEqual(
    expect.arrayContaining([
      'server.provision',
      'site.create',
      'site.delete',
      'site.purge',
      'site.restore',
      'site.update',
      'pool.apply',
      'tls.issue',
      'wp.scan',
      'service.restart',
      'cache.purge',
    ]),
  )
})

test('lets only reading commands run without a journal', () => {
  const reading = Object.values(COMMANDS).filter(({ changes }) => !changes)

  expect(reading.map(({ name }) => name)).toEqual([
    'site.compare',
    'site.rename-preview',
    'wp.scan',
  ])
})

test('a new site has the smallest tier and a real certificate by default', () => {
  const given = { domain: 'Shop.Example', php: '8.3', email: 'a@shop.example', user: 'shop_1' }

  expect(COMMANDS['site.create'].params.parse(given)).toEqual({
    domain: 'shop.example',
    php: '8.3',
    tier: 'small',
    tls: 'letsencrypt',
    email: 'a@shop.example',
    user: 'shop_1',
  })
})
