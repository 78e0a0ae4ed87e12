// tier: gate
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAcme } from '#tests/support/acme/index.ts'
import { withBrowser } from '#tests/support/browser/index.ts'
import * as lab from '#tests/support/lab/index.ts'

const MINUTES = 60_000
/** A removed file and a replaced folder of the base, and a file with two names. */
const CHANGES = `
  rm /etc/services
  rm -r /etc/logrotate.d; mkdir /etc/logrotate.d; touch /etc/logrotate.d/mine
  mkdir /srv/made; echo a > /srv/made/a; ln /srv/made/a /srv/made/b
  chown 1234:5678 /srv/made/a; chmod 4750 /srv/made/a
  touch --date='2026-01-02 03:04:05.678901234' /srv/made/a
`
const FACTS = `
  test -e /etc/services || echo no services
  ls /etc/logrotate.d
  stat --format='%h %u %g %a %y' /srv/made/b
`
const reason = lab.available()

describe.skipIf(reason !== undefined)(`the laboratory${reason ? ` [skip: ${reason}]` : ''}`, () => {
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  const install = async (host: lab.Host, ...packages: string[]) => {
    await host.must(['apt-get', 'update'])
    await host.must(['apt-get', 'install', '-y', ...packages])
  }

  test.each(['bookworm', 'trixie'] as const)(
    'boots %s without a web server, and installs one',
    async (suite) => {
      const host = await lab.startHost({ name: `lab-${suite}`, suite, init: 'systemd' })
      const { stdout: state } = await host.exec(['systemctl', 'is-system-running'])
      expect(['running', 'degraded']).toContain(state.trim())
      for (const program of ['nginx', 'php', 'mariadb', 'curl', 'crontab']) {
        expect((await host.exec(['which', program])).code).toBe(1)
      }

      await install(host, 'nginx')

      expect(await host.must(['systemctl', 'is-active', 'nginx'])).toBe('active\n')
      await host.remove()
    },
  )

  test('runs a container without systemd, where installing starts nothing', async () => {
    const host = await lab.startHost({ name: 'container', suite: 'bookworm', init: 'none' })
    expect((await host.exec(['systemctl', 'is-system-running'])).stdout).toBe('offline\n')

    await install(host, 'nginx')

    expect((await host.exec(['pgrep', 'nginx'])).code).toBe(1)
    await host.must(['service', 'nginx', 'start'])
    expect((await host.exec(['pgrep', 'nginx'])).code).toBe(0)
    await host.remove()
  })

  test('keeps the disk across a power failure, and uses it as the image of another host', async () => {
    const first = await lab.startHost({ name: 'first', suite: 'trixie', init: 'systemd' })
    await first.put('/etc/secret', 'kept', 0o600)
    await first.powerOff()
    expect(first.running).toBe(false)
    await first.start()
    expect(await first.must(['stat', '--format=%a %U', '/etc/secret'])).toBe('600 root\n')
    await first.must(['sh', '-c', CHANGES])
    const before = await first.must(['sh', '-c', FACTS])

    const { folder } = await lab.switchUp()
    const image = await first.archive(join(folder, 'first.tar'))
    await first.remove()
    const second = await lab.startHost({ name: 'second', suite: 'trixie', init: 'none', image })

    expect(await second.must(['cat', '/etc/secret'])).toBe('kept')
    expect(await second.must(['sh', '-c', FACTS])).toBe(before)
    expect(before).toStartWith('no services\nmine\n2 1234 5678 4750 2026-01-02 03:04:05.6789')
    await second.must(['mv', '/srv/made', '/srv/moved'])
    expect(await second.must(['hostname'])).toBe('second\n')
    await second.remove()
  })

  test('disconnects a host and connects it again', async () => {
    const options = { suite: 'bookworm', init: 'none' } as const
    const [near, far] = await Promise.all([
      lab.startHost({ ...options, name: 'near' }),
      lab.startHost({ ...options, name: 'far', address: '10.78.0.200' }),
    ])
    // Three, as a network may lose one.
    const ping = async () => (await near.exec(['ping', '-c3', '-i0.2', '-W2', far.address])).code
    expect(await ping()).toBe(0)

    await far.partition(true)
    expect(await ping()).toBe(1)

    await far.partition(false)
    expect(await ping()).toBe(0)
    await Promise.all([near.remove(), far.remove()])
  })

  test('shows a page that a host serves to itself', async () => {
    const shots = await mkdtemp(join(tmpdir(), 'lab-shot-'))
    const host = await lab.startHost({ name: 'web', suite: 'bookworm', init: 'systemd' })
    await install(host, 'nginx')
    await host.put('/var/www/html/index.html', '<title>Lab</title><h1>Hello</h1>')

    const title = await withBrowser(
      { netns: host.netns, resolve: { 'shop.example.test': '127.0.0.1' } },
      async (page) => {
        await page.goto('http://shop.example.test/')
        await page.screenshot({ path: join(shots, 'deep', 'page.png') })
        return page.title()
      },
    )

    expect(title).toBe('Lab')
    expect(existsSync(join(shots, 'deep', 'page.png'))).toBe(true)
    await rm(shots, { recursive: true })
    await host.remove()
  })

  test('provides an ACME directory and DNS names for the hosts', async () => {
    const acme = await startAcme()
    const host = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'none' })
    await install(host, 'curl')
    await host.put('/root/ca.pem', acme.ca_pem)
    await acme.resolve('shop.example.test', '10.78.0.99')
    await acme.resolve('shop.example.test', host.address)

    const curl = ['curl', '--silent', '--show-error', '--cacert', '/root/ca.pem']
    const directory = JSON.parse(await host.must([...curl, acme.directory_url]))

    expect(directory.newOrder).toStartWith('https://10.78.0.1:14000/')
    expect(await acme.issuing_root()).toStartWith('-----BEGIN CERTIFICATE-----')
    const found = await host.must(['getent', 'ahosts', 'shop.example.test'])
    expect(new Set(found.match(/^\S+/gm))).toEqual(new Set([host.address]))
    expect((await host.exec(['getent', 'ahosts', 'unknown.example.test'])).code).toBe(2)
    await acme.stop()
    await host.remove()
  })

  test('leaves nothing on the machine', async () => {
    await lab.startHost({ name: 'forgotten', suite: 'bookworm', init: 'systemd' })

    await lab.switchDown()

    const own = `hc-${process.pid}-`
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
    expect(mounts).not.toContain(own)
    expect(readdirSync('/run/netns').filter((name) => name.startsWith(own))).toEqual([])
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(own))).toEqual([])
    expect((await lab.run(['pgrep', '--full', `machine=${own}`])).stdout).toBe('')
  })
})
