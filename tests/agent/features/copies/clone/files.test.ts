import { expect, test } from 'bun:test'
import { link } from '#agent/kernel/host/simulated/nodes.ts'
import { fromSite, run, siteServer } from '#tests/support/agent/cloning.ts'

test('a clone does not read a public folder that is a link', async () => {
  const host = await siteServer()
  host.disk.put('/srv/www/shop/public', link('/etc/ssh'))

  const [, result] = await run(host, fromSite)

  expect(result).toBe('/srv/www/shop/public is not a folder: its files are not copied')
  expect(host.ran.filter((line) => line.startsWith('tar'))).toEqual([])
})

test('tar names the public folder and not what is in it, so that it follows no link', async () => {
  const host = await siteServer()

  await run(host, fromSite)

  expect(host.ran.filter((line) => line.startsWith('tar --create'))).toEqual([
    [
      'tar --create --file=- --sparse --directory=/site --transform=s,^public,.,S --anchored',
      '--exclude=public/wp-content/cache --exclude=public/wp-content/upgrade',
      '--exclude=public/wp-content/upgrade-temp-backup -- public',
    ].join(' '),
  ])
})
