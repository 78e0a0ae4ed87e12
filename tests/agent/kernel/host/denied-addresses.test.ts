import { expect, test } from 'bun:test'
import { deniedOn } from '#agent/kernel/host/denied-addresses.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('a program of root reaches the name server of a cloud, and none of its other addresses', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/resolv.conf', 'nameserver 169.254.169.253\n')

  expect(await deniedOn(host)).toEqual([
    'IPAddressDeny=169.254.0.0/16 fe80::/64 fd00:ec2::254/128 fd20:ce::254/128 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32',
    'IPAddressAllow=169.254.169.253',
  ])
})
