import { expect, test } from 'bun:test'
import { siteResume } from '#agent/features/sites/site.resume.ts'
import { siteSuspend } from '#agent/features/sites/site.suspend.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop

test('restores the site as it was before', async () => {
  const host = await server(shop)
  const before = host.disk.all
  await outcome(siteSuspend.run({ domain }, contextOf(host)))

  const [lines, result] = await outcome(siteResume.run({ domain }, contextOf(host)))

  expect([lines[0], result]).toEqual(['Resuming shop.example', { domain }])
  expect(host.disk.all).toEqual(before)
  expect(host.ran).toContain('systemctl restart hosting-cron@shop.timer')
})

test('of a site that is not suspended changes nothing', async () => {
  const host = await server(shop)
  const before = host.disk.all

  const [, result] = await outcome(siteResume.run({ domain }, contextOf(host)))

  expect(result).toEqual({ domain })
  expect(host.disk.all).toEqual(before)
})
