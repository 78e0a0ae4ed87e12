import { expect, test } from 'bun:test'
import { LogRotation } from '#agent/features/logs/rotate.ts'
import { file } from '#agent/kernel/host/simulated/nodes.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const [MB, LOG] = [1 << 20, '/var/log/hosting/shop/access.log']
const [HOUR_MS, DAY_MS] = [3_600_000, 24 * 3_600_000]
const BY_ROOT: string = 'logrotate /etc/logrotate.d/hosting-shop'
const BY_SITE: string = '/usr/local/bin/hosting-agent logs'
/** Lists the rotations among the programs that ran, without the first `from` programs. */
const rotations = ({ ran }: { ran: string[] }, from = 0) =>
  ran.slice(from).filter((line) => line === BY_ROOT || line === BY_SITE)
const ignored = () => undefined

test.each([
  [50 * MB, LOG, []],
  [50 * MB + 1, LOG, [BY_ROOT]],
  [51 * MB, '/var/log/hosting/shop/php-fpm.log', [BY_ROOT]],
  [51 * MB, '/srv/www/shop/logs/php-error.log', [BY_SITE]],
  [51 * MB, '/srv/www/shop/logs/wordpress-debug.log', [BY_SITE]],
  [51 * MB, '/srv/www/shop/logs/jobs.log', [BY_SITE]],
  [51 * MB, '/srv/www/shop/logs/other.log', []],
])('a log of %d bytes at %s is rotated by %j, before a day is over', async (size, path, ran) => {
  const host = await server(shop)
  const rotation = new LogRotation()
  await rotation.look(host, ignored)
  const from = host.ran.length
  host.disk.put(path, { ...file('', {}), size })

  await rotation.look(host, ignored)

  expect(rotations(host, from)).toEqual(ran)
})

test('the logs in the folder of a site are rotated each day, with the rights of the site', async () => {
  const host = await server(shop)
  const rotation = new LogRotation()

  const times: number[] = []
  for (let hour = 0; hour < 49; hour += 1) {
    const from = host.ran.length
    await rotation.look(host, ignored)
    if (rotations(host, from).length > 0) times.push(hour)
    host.time += HOUR_MS
  }

  expect(times).toEqual([0, DAY_MS / HOUR_MS, (2 * DAY_MS) / HOUR_MS])
})

test('reports a log that was not rotated', async () => {
  const host = await server(shop)
  host.disk.put(LOG, { ...file('', {}), size: 51 * MB })
  host.fail('logrotate', 'state file is locked')
  const reports: unknown[] = []

  await new LogRotation().look(host, (error) => reports.push(error))

  expect(reports.map(String)).toEqual([
    'Error: The logs of shop were not rotated: state file is locked',
  ])
})
