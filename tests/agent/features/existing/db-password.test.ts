import { expect, test } from 'bun:test'
import { databasePassword } from '#agent/features/existing/db-password.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const VHOST = 'server { server_name www.shop.example shop.example; root /var/www/shop; }'

function shop(config: string) {
  const host = fakeHost()
  void host.disk.write('/etc/nginx/sites-enabled/shop', VHOST)
  void host.disk.write('/var/www/shop/wp-config.php', config)
  return host
}

test('reads the password of any site of the machine without running its PHP', async () => {
  const host = shop(`<?php define( 'DB_PASSWORD', 'it\\'s "secret"' );`)

  expect((await databasePassword(host, 'shop.example')).reveal()).toBe(`it's "secret"`)
  expect((await databasePassword(host, 'www.shop.example')).reveal()).toBe(`it's "secret"`)
  expect(new Set(host.ran)).toEqual(new Set(['nginx -V', 'nginx -T -q']))
})

test('names an unknown domain', async () => {
  const failure = databasePassword(shop('<?php'), 'other.example')

  await expect(failure).rejects.toThrow('Site other.example not found')
})

test.each([
  "<?php define('DB_PASSWORD', getenv('DB_PASSWORD'));",
  'define("DB_PASSWORD", "html");',
])('returns no password of %s', async (config) => {
  await expect(databasePassword(shop(config), 'shop.example')).rejects.toThrow(
    'Database password of shop.example not found',
  )
})
