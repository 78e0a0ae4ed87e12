import { expect, test } from 'bun:test'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { switched, VHOST } from '#tests/support/agent/moving.ts'
import { anna, setAccess } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const { domain } = shop
const SERVICE = '/etc/systemd/system/hosting-thaw@shop.service'
const isClosed = ({ disk }: FakeHost) => /^shop:!:+2:/m.test(disk.text('/etc/shadow') ?? '')

/** A site that a person can log in to, before it is frozen. */
async function leaving(): Promise<FakeHost> {
  const host = await server(shop)
  await writeSite(host, { ...shop, access: [anna] })
  host.pages.set(`http://${domain}/.well-known/hosting-move`, 'arriving')
  host.net.probe = async ({ path }) => {
    const isFrozen = host.disk.text(VHOST)?.includes('return 503 ')
    const isTrial = path === '/.well-known/hosting-move'
    return { status: isFrozen ? 503 : 200, body: isTrial ? 'arriving' : 'page', headers: {} }
  }
  await switched(host, 'leaving')
  return host
}

test('nobody can log in while the site is frozen', async () => {
  const host = await leaving()

  const [lines] = await switched(host, 'frozen')

  expect(lines).toEqual([
    'Checking the connection to the other server',
    'Limiting the freeze',
    'Pausing the jobs of shop.example',
    'Freezing shop.example',
    'Ending the SFTP and SSH sessions of shop.example',
    'Waiting for running requests and jobs',
  ])
  expect(isClosed(host)).toBe(true)
})

test('systemd opens the accounts when it ends a freeze, after the virtual host', async () => {
  const host = await leaving()

  await switched(host, 'frozen')

  const lines = (host.disk.text(SERVICE) ?? '').split('\n')
  expect(lines.filter((line) => line.startsWith('ExecStart='))).toEqual([
    `ExecStart=/usr/bin/mv --force ${VHOST}.serving ${VHOST}`,
    'ExecStart=-/usr/bin/systemctl --no-block reload nginx.service',
    'ExecStart=-/usr/bin/systemctl --no-block start hosting-cron@shop.timer',
    'ExecStart=-/usr/bin/chage --expiredate=-1 shop',
  ])
})

test('people can log in again when the move ends without a switch', async () => {
  const host = await leaving()

  await switched(host, 'frozen', 'settled')

  expect(isClosed(host)).toBe(false)
})

test('after the handover nobody can, and everybody after the site is restored', async () => {
  const host = await leaving()

  await switched(host, 'frozen', 'parted')
  expect(isClosed(host)).toBe(true)
  await switched(host, 'arriving', 'arrived')

  expect(isClosed(host)).toBe(false)
})

test('whatever fails in the freeze, the accounts are as before', async () => {
  let failed = 0
  await eachFault(
    leaving,
    (host) => switched(host, 'frozen'),
    async (host, _, [, result], fault) => {
      if (typeof result !== 'string') return
      failed += 1
      expect([fault, isClosed(host)]).toEqual([fault, false])
    },
  )
  expect(failed).toBeGreaterThan(times(10))
})

test('a handover that fails before its record opens the accounts', async () => {
  const host = await leaving()
  await switched(host, 'frozen')
  const { write } = host.files
  host.files.write = async (path, ...rest) => {
    if (path.includes('/moved/')) throw new Error('disk full')
    return write.call(host.files, path, ...rest)
  }

  const [, reason] = await switched(host, 'parted')

  expect([reason, isClosed(host)]).toEqual(['disk full', false])
})

test('a frozen site accepts no new people, and removes those whose access ends', async () => {
  const host = await leaving()
  await switched(host, 'frozen')
  const grant = { ...anna, id: 2, person: 'Ben' }

  const [, refused] = await setAccess(host, [anna, grant])
  expect(refused).toBe('shop.example is frozen while it moves')

  await setAccess(host, [])
  expect((await getSite(host, domain)).access).toBeUndefined()
  await switched(host, 'settled')
  expect(isClosed(host)).toBe(false)
})
