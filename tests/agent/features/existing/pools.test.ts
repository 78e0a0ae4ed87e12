import { expect, test } from 'bun:test'
import { findPools } from '#agent/features/existing/pools.ts'
import { systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const pool = (name: string, listen: string) => `[${name}]\nuser = ${name}\nlisten = ${listen}\n`

async function machine(files: Record<string, string>) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)
  return host
}
const process = (pid: number, line: string, uid = 0, nested = '') => ({
  [`/proc/${pid}/cmdline`]: `${line}\0`,
  [`/proc/${pid}/status`]: `Uid:${`\t${uid}`.repeat(4)}\nNSpid:\t${pid}${nested}\n`,
})
const MASTER = 'php-fpm: master process (/opt/odd/php-fpm.conf)'
const ODD = {
  '/opt/odd/php-fpm.conf': `include=pool.d/*.conf\n`,
  '/opt/odd/pool.d/a.conf': pool('a', '9000'),
}

test('asks the master program for its version if no folder names it', async () => {
  const host = await machine({ ...ODD, ...process(7, MASTER) })
  host.answer('realpath -e /proc/7/exe', '/opt/odd/sbin/php-fpm\n')
  host.answer('/opt/odd/sbin/php-fpm -v', 'PHP 8.1.7 (fpm-fcgi) (built: now)\n')

  const find = await findPools(host, await systemProcesses(host), [])

  expect(find('127.0.0.1:9000')).toMatchObject({ user: 'a', php: '8.1' })
})

test.each([
  ['of a tenant who gives his program that title', process(7, MASTER, 1001)],
  ['in a container', process(7, MASTER, 0, '\t1')],
])('does not believe a master %s', async (_, files) => {
  const host = await machine({ ...ODD, ...files, ...process(1, '/sbin/init') })

  const find = await findPools(host, await systemProcesses(host), [])

  expect(find('127.0.0.1:9000')).toBeUndefined()
})

test.each([
  ['/etc/php/8.3/fpm/pool.d/x.conf', '8.3'],
  ['/opt/plesk/php/8.2/etc/php-fpm.d/x.conf', '8.2'],
  ['/etc/opt/remi/php81/php-fpm.d/x.conf', '8.1'],
  ['/opt/cpanel/ea-php74/root/etc/php-fpm.d/x.conf', '7.4'],
  ['/etc/php82rc/fpm.d/x.conf', '8.2'],
  ['/usr/local/php80/etc/php-fpm.d/x.conf', '8.0'],
  ['/www/server/php/83/etc/php-fpm.conf', '8.3'],
])('%s belongs to PHP %s', async (path, php) => {
  const host = await machine({ [path]: pool('x', '/run/x.sock') })

  const find = await findPools(host, [], [])

  expect(find('/run/x.sock')).toMatchObject({ user: 'x', php })
})

test('does not choose between two stopped masters', async () => {
  const host = await machine({
    '/etc/php/8.1/fpm/pool.d/x.conf': pool('x', '/run/x.sock'),
    '/etc/php/8.3/fpm/pool.d/x.conf': pool('x', '/run/x.sock'),
  })

  expect((await findPools(host, [], []))('/run/x.sock')?.php).toBe('')
})

test('follows a link to a socket', async () => {
  const host = await machine({ '/etc/php/8.3/fpm/pool.d/x.conf': pool('x', '/run/php/x.sock') })
  host.answer('realpath -mz -- /run/php/link.sock', '/run/php/x.sock\0')

  expect((await findPools(host, [], ['/run/php/link.sock']))('/run/php/link.sock')?.php).toBe('8.3')
})

test('finds the pools of Plesk, whose sockets are below a prefix', async () => {
  const host = await machine({
    '/opt/plesk/php/8.3/etc/php-fpm.d/shop.example.conf': `[shop.example]
; Don't override following options, they are relied upon by Plesk internally
prefix = /var/www/vhosts/system/$pool
user = shopper
group = psacln

listen = php-fpm.sock
listen.owner = root
listen.group = psaserv
listen.mode = 0660

; Following options can be overridden
chdir = /
pm = ondemand
pm.max_children = 10
`,
    '/opt/plesk/php/8.2/etc/php-fpm.d/old.example.conf': pool('old', '$pool.sock'),
  })

  const find = await findPools(host, [], [])

  expect(find('/var/www/vhosts/system/shop.example/php-fpm.sock')).toMatchObject({
    ...{ user: 'shopper', php: '8.3', children: 10 },
  })
  expect(find('old.sock')).toBeUndefined()
})
