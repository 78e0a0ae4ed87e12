import { expect, test } from 'bun:test'
import { stopLeftoverSlices, stopOrphanedSlice } from '#agent/kernel/sandbox/slice.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test('keeps the slice of a site while another program runs in it', async () => {
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

test('stops slices that a killed agent left for removed sites', async () => {
  const host = await server(shop)
  for (const name of ['hosting-shop.slice', 'hosting-gone.slice', 'hosting-fpm.service'])
    await host.disk.write(`/sys/fs/cgroup/hosting.slice/${name}/cgroup.events`, 'populated 1\n')

  await stopLeftoverSlices(host)

  expect(host.ran).toEqual(['systemctl stop hosting-gone.slice'])
})
