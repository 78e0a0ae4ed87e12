import { expect, test } from 'bun:test'
import { stopOrphanedSlice } from '#agent/os/as-site/slice.ts'
import { server, shop } from '#tests/agent/commands/debian.ts'

test('leaves the slice of a site alone while something else of it runs there', async () => {
  const host = await server(shop)
  const events = '/sys/fs/cgroup/hosting.slice/hosting-shop.slice/cgroup.events'
  await host.disk.write(events, 'populated 1\nfrozen 0\n')

  await stopOrphanedSlice(host, 'shop')
  await host.disk.remove('/etc/systemd/system/hosting-shop.slice')
  await stopOrphanedSlice(host, 'shop')
  expect(host.ran).toEqual([])

  await host.disk.write(events, 'populated 0\nfrozen 0\n')
  await stopOrphanedSlice(host, 'shop')
  expect(host.ran).toEqual(['systemctl stop hosting-shop.slice'])
})
