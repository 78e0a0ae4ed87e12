import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { findSite, removeSite, writeSite } from '#agent/os/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop
const onlyCopy = { domain, copy: true }

test('leaves a site that is no copy of a move, if only a copy was asked for', async () => {
  const host = await server(shop)

  const [, reason] = await outcome(siteDelete.run(onlyCopy, contextOf(host)))

  expect(reason).toBe('Copy of shop.example not found')
  expect(await findSite(host, domain)).toEqual(shop)
})

test.each([
  ['is closed', { from: ['10.0.0.1'], closed: true }, 'sites'],
  ['only forwards', { to: '10.0.0.1', parted: true }, 'moved'],
] as const)('deletes a copy that %s', async (_, moving, folder) => {
  const host = await server(shop)
  await removeSite(host, domain, 'sites').apply()
  await writeSite(host, { ...shop, moving: { ...moving, from: ['10.0.0.1'] } }, folder)

  const [, result] = await outcome(siteDelete.run(onlyCopy, contextOf(host)))

  expect(result).toMatchObject({ domain })
  expect(await findSite(host, domain, 'trash')).toBeDefined()
})
