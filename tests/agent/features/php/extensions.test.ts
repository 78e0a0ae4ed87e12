import { expect, test } from 'bun:test'
import { listPhp } from '#agent/features/php/extensions.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('has the extensions of PHP-FPM for each installed version', async () => {
  const host = fakeHost()
  for (const path of [
    '/usr/sbin/php-fpm8.4',
    '/usr/sbin/php-fpm8.2',
    '/etc/php/8.4/fpm/conf.d/20-gd.ini',
    '/etc/php/8.4/fpm/conf.d/10-mysqlnd.ini',
    '/etc/php/8.4/fpm/conf.d/local.ini',
    '/etc/php/8.4/cli/conf.d/20-readline.ini',
  ])
    host.disk.putText(path, '')

  expect(await listPhp(host)).toEqual([
    { version: '8.2', extensions: [] },
    { version: '8.4', extensions: ['gd', 'mysqlnd'] },
  ])
})
