import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { contextOf, outcome, server, shop } from './debian.ts'

const remove = (host: Awaited<ReturnType<typeof server>>) =>
  outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

test('removes the site from the visitors inwards, the record last', async () => {
  const host = await server(shop)

  const [lines, result] = await remove(host)

  expect(result).toEqual({ domain: 'shop.example' })
  expect(lines).toEqual([
    'Deleting shop.example',
    'Removing the virtual host and the page cache',
    'Removing the jobs',
    'Stopping PHP',
    'Dropping the database',
    'Removing the files',
    'Removing the system user shop',
    'Removing the certificate and the record',
  ])
  expect(host.ran).toEqual([
    'nginx -t -q',
    'start-stop-daemon --stop --quiet --signal HUP --pidfile /run/nginx.pid --exec /usr/sbin/nginx',
    'systemctl stop hosting-fpm@shop-8.2.service',
    'systemctl stop hosting-shop.slice',
    'systemctl daemon-reload',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'rm -rf --one-file-system -- /srv/www/shop',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'userdel -- shop',
  ])
  expect(Object.keys(host.disk.all).filter((path) => path.includes('shop'))).toEqual([])
})

test('goes on where a deletion was cut off', async () => {
  const host = await server(shop)
  host.fail('userdel', 'user shop is currently used by process 77')
  const [, message] = await remove(host)
  expect(message).toContain('currently used by process 77')
  host.answer('userdel', '')

  const [, result] = await remove(host)

  expect(result).toEqual({ domain: 'shop.example' })
  expect(Object.keys(host.disk.all).filter((path) => path.includes('shop'))).toEqual([])
})

test('names the domain that it does not know', async () => {
  expect(await remove(await server())).toEqual([[], 'Site shop.example not found'])
})
