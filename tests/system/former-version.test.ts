// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, installEnrolled } from '#tests/support/system/enrolled.ts'
import { formerAgent, formerUnavailable } from '#tests/support/system/former-agent.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { get } from '#tests/support/system/requests.ts'
import { uploadPdf } from '#tests/support/system/upload.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const DOMAIN = 'old.example.test'

unless(lab.available() ?? formerUnavailable()).describe('a server of the previous version', () => {
  let world: Enrolled
  let user = ''
  let upload = ''

  beforeAll(async () => {
    const image = await packaged('bookworm')
    world = await installEnrolled('bookworm', { image, program: await formerAgent() })
    const body = { domain: DOMAIN, php: '8.2', tls: 'none' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    expect((await endOf(world.dashboard, created)).data).toEqual({ status: 'ok', domain: DOMAIN })
    const listed = await world.dashboard.call('GET', world.path('/sites'))
    const [site] = listed.body.sites as { id: number; user: string }[]
    user = site?.user ?? ''
    const path = world.path(`/sites/${site?.id}/admin-password`)
    const { body: login } = await world.dashboard.call('POST', path)
    const account = { user: String(login.user), password: String(login.password) }
    // That version asked for fewer modules.
    await world.host.must(['apt-get', 'purge', '-y', '-q', 'php8.2-imagick'])
    upload = await uploadPdf(world.host, `http://${DOMAIN}`, account)
    const planted = 'CREATE FUNCTION pwn() RETURNS INT SQL SECURITY INVOKER RETURN 1'
    await world.host.must(['mariadb', user, '--execute', planted])
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const answers = async () => (await get(world.host, `http://${DOMAIN}/?fresh`)).status
  /** Sends requests one after the other until it is stopped; returns the answer to each. */
  const asking = () => {
    const state = { running: true }
    const ask = async () => {
      const statuses: number[] = []
      while (state.running) {
        const url = `http://${DOMAIN}/?fresh=${statuses.length}`
        statuses.push((await get(world.host, url)).status)
      }
      return statuses
    }
    const asked = ask()
    return {
      async end() {
        state.running = false
        return asked
      },
    }
  }
  const pidOf = async (name = 'php8.2') => {
    const unit = `hosting-fpm@${user}-${name}.service`
    const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
    return (await world.host.must(show)).trim()
  }
  const masterOf = async (name = 'php8.2') => {
    const status = await world.host.must(['cat', `/proc/${await pidOf(name)}/status`])
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]
    return { uid: field('Uid'), capabilities: field('CapBnd') }
  }
  /** Of the people that the server has, those that PHP of the site sees. */
  const peopleSeen = async (name = 'php8.2') => {
    const text = await world.host.must(['cat', `/proc/${await pidOf(name)}/root/etc/passwd`])
    return [...text.matchAll(/^(\w+):x:1\d{3}:/gm)].map(([, person]) => person)
  }
  const rights = async () => {
    const argv = ['mariadb', '--batch', '--skip-column-names', '--execute']
    return world.host.must([...argv, `SHOW GRANTS FOR \`${user}\`@localhost`])
  }
  const has = async (path: string) => (await world.host.exec(['test', '-e', path])).code === 0

  test('runs PHP as root with capabilities, and the jobs in cron', async () => {
    expect(await answers()).toBe(200)
    expect(await masterOf('8.2')).toMatchObject({ uid: '0' })
    expect((await masterOf('8.2')).capabilities).not.toBe('0000000000000000')
    expect(await has(`/etc/cron.d/hosting-${user}`)).toBe(true)
    await world.host.must(['useradd', 'someone'])
    await world.host.must(['systemctl', 'restart', `hosting-fpm@${user}-8.2.service`])
    expect(await peopleSeen('8.2')).toEqual([user, 'someone'])
    expect(await rights()).toMatch(/CREATE ROUTINE/)
    expect((await get(world.host, upload)).status).toBe(404)
  })

  test(
    'confines its sites after the upgrade, and serves them unchanged',
    async () => {
      const requests = asking()
      const upgraded = await world.dashboard.stream('POST', world.path('/upgrade'))
      expect(upgraded.at(-1)).toMatchObject({ event: 'complete', data: { status: 'ok' } })
      const done = () => has('/var/lib/hosting-agent/layout.json')
      expect(await lab.poll(done, { timeout_ms: 3 * MINUTES })).toBe(true)
      const statuses = await requests.end()
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(statuses.length).toBeGreaterThan(5)

      const uid = (await world.host.must(['id', '-u', user])).trim()
      expect(await masterOf()).toEqual({ uid, capabilities: '0000000000000000' })
      expect(await peopleSeen()).toEqual([user])
      expect(await has(`/etc/cron.d/hosting-${user}`)).toBe(false)
      expect(await has(`/etc/hosting/fpm/${user}-8.2.conf`)).toBe(false)
      expect(await world.host.must(['cat', '/proc/net/unix'])).not.toContain(user)
      const timer = `hosting-cron@${user}.timer`
      expect((await world.host.exec(['systemctl', 'is-active', timer])).stdout.trim()).toBe(
        'active',
      )
      expect(await rights()).not.toMatch(/ROUTINE|VIEW|TRIGGER|EVENT|EXECUTE/)
      expect(await rights()).toMatch(/WITH MAX_USER_CONNECTIONS \d+ MAX_STATEMENT_TIME/)
      const log = await world.host.must(['journalctl', '--unit=hosting-agent', '--output=cat'])
      expect(log).toContain(`A site must not have this routine: check pwn in ${user}`)
      expect(await answers()).toBe(200)
      expect((await get(world.host, upload)).status).toBe(200)
      expect(await world.host.must(['cat', `/proc/${await pidOf()}/maps`])).toContain('imagick.so')
    },
    5 * MINUTES,
  )

  test(
    'restarts with them after a power failure',
    async () => {
      await world.host.powerOff()
      await world.host.start()

      const isUp = async () => (await answers()) === 200
      await lab.poll(() => isUp().catch(() => false))

      expect((await masterOf()).capabilities).toBe('0000000000000000')
    },
    5 * MINUTES,
  )
})
