import { expect, test } from 'bun:test'
import { file } from '#agent/host/simulated/nodes.ts'
import { rotateLarge } from '#agent/os/logs/rotate.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const [MB, LOG] = [1 << 20, '/var/log/hosting/shop/access.log']
const ROTATED = ['logrotate /etc/logrotate.d/hosting-shop']
const rotations = (host: { ran: string[] }) =>
  host.ran.filter((line) => line.startsWith('logrotate'))

test.each([
  [50 * MB, LOG, []],
  [50 * MB + 1, LOG, ['logrotate /etc/logrotate.d/hosting-shop']],
  [51 * MB, '/srv/www/shop/logs/php-error.log', ['logrotate /etc/logrotate.d/hosting-shop']],
  [51 * MB, '/srv/www/shop/logs/wordpress-debug.log', ROTATED],
  [51 * MB, '/srv/www/shop/logs/other.log', []],
])('a log of %d bytes at %s is rotated by %j', async (size, path, ran) => {
  const host = await server(shop)
  host.disk.put(path, { ...file('', {}), size })

  await rotateLarge(host, () => undefined)

  expect(rotations(host)).toEqual(ran)
})

test('reports a log that was not rotated', async () => {
  const host = await server(shop)
  host.disk.put(LOG, { ...file('', {}), size: 51 * MB })
  host.fail('logrotate', 'state file is locked')
  const reports: unknown[] = []

  await rotateLarge(host, (error) => reports.push(error))

  expect(reports.map(String)).toEqual([
    'Error: The logs of shop were not rotated: state file is locked',
  ])
})
