import { expect, test } from 'bun:test'
import type * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { BLOG, type MailWorld, PROGRAM, SHOP } from './mail-world.ts'
import { get } from './requests.ts'

const MINUTES = 60_000
const FOREIGN = 'foreign.example.test'
const LATE = { domain: 'late.example.test', user: 'late1a2b3c' }
const NGINX = `server { listen 80; server_name ${FOREIGN}; location / { return 200 "foreign"; } }\n`

/**
 * `hosting-agent uninstall` on a server with sites, mail and a foreign site, from the mildest to
 * the most complete: other tests cannot use the server afterwards.
 */
export function leavingChecks(
  suite: Suite,
  worldNow: () => MailWorld,
  send: (subject: string) => Promise<string>,
): void {
  const { php } = suites[suite]
  const run = async (...args: string[]) => worldNow().host.exec([PROGRAM, 'uninstall', ...args])
  const answer = async (domain: string) => {
    const { status, body } = await get(worldNow().host, `http://${domain}/`)
    return status === 200 && (domain === FOREIGN ? body === 'foreign' : body.includes('wp-content'))
  }
  const answers = (...domains: string[]) => Promise.all(domains.map(answer))
  const failedUnits = async () =>
    (await worldNow().host.must(['systemctl', 'list-units', '--failed', '--no-legend'])).trim()
  const agentUnits = async () => {
    const list = ['systemctl', 'list-units', '--all', '--no-legend', 'hosting-agent*']
    return (await worldNow().host.must(list)).trim()
  }

  test(
    'uninstall keeps the sites unchanged, and mail() reports immediately that nothing is sent',
    async () => {
      const { host } = worldNow()
      await host.put('/etc/nginx/conf.d/foreign.conf', NGINX)
      await host.must(['systemctl', 'reload', 'nginx'])
      const dry = await run('--dry-run')
      expect([dry.code, dry.stdout.split('\n')[0]]).toEqual([0, 'would be removed:'])
      expect(await agentUnits()).toContain('hosting-agent.service')

      const { code, stdout, stderr } = await run()
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`2 sites: ${BLOG.domain}, ${SHOP.domain}, served as before`)
      const pools = [SHOP, BLOG].map(({ user }) => `hosting-fpm@${user}-php${php}`)
      await host.must(['systemctl', 'restart', ...pools])
      await host.must(['systemctl', 'restart', 'nginx'])
      expect(await answers(SHOP.domain, BLOG.domain, FOREIGN)).toEqual([true, true, true])
      expect([await agentUnits(), await failedUnits()]).toEqual(['', ''])
      expect((await host.exec(['test', '-e', PROGRAM])).code).toBe(1)
      // sendmail tries a queue that does not answer for 8 seconds.
      const sockets = ['find', '/var/lib/hosting-mail/sockets', '-type', 's']
      expect(await host.must(sockets)).toBe('')
      expect(await send('nowhere')).toBe('false')
    },
    5 * MINUTES,
  )

  test(
    'a reinstalled agent has the sites, and --purge removes its records and its trash',
    async () => {
      const world = worldNow()
      const agent = await world.installAgain()
      const ended = async (command: string, params: object) =>
        (await agent.start(command, params).ended).at(-1)
      expect(await ended('cache.purge', { domain: SHOP.domain })).toMatchObject({
        event: 'complete',
      })
      await world.until('the queue listens', async () => (await send('again')) === 'true')
      expect(await ended('site.delete', { domain: BLOG.domain })).toMatchObject({
        event: 'complete',
      })

      const { code, stdout, stderr } = await run('--purge')
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`from the trash, permanently: the site ${BLOG.domain}`)
      await world.host.must(['systemctl', 'restart', `hosting-fpm@${SHOP.user}-php${php}`])
      expect(await answers(SHOP.domain, FOREIGN)).toEqual([true, true])
      expect(await left(world.host, BLOG.user)).toEqual([])
      expect([await agentUnits(), await failedUnits()]).toEqual(['', ''])
      // systemd recreates the folder, empty, as a path in the sandbox of sites.
      const records = ['/var/lib/hosting-agent', '/var/lib/hosting-mail', '/etc/hosting-agent']
      const inside = ['find', ...records, '-mindepth', '1']
      expect((await world.host.exec(inside)).stdout).toBe('')
    },
    5 * MINUTES,
  )

  test(
    '--remove-sites removes only what this agent made',
    async () => {
      const world = worldNow()
      const agent = await world.installAgain()
      const more = { php, tier: 'small', tls: 'none', email: 'owner@example.org' }
      const made = (await agent.start('site.create', { ...LATE, ...more }).ended).at(-1)
      expect(made).toMatchObject({ event: 'complete' })
      const wrong = await run('--remove-sites', 'another-server')
      expect([wrong.code, await answers(LATE.domain)]).toEqual([1, [true]])

      const { code, stdout, stderr } = await run('--remove-sites', `mail-${suite}`)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`permanently: the site ${LATE.domain}`)
      await world.host.must(['nginx', '-t', '-q'])
      await world.host.must(['systemctl', 'restart', 'nginx'])
      expect(await left(world.host, LATE.user)).toEqual([])
      expect(stdout).toContain(`of an agent whose records were purged: the site ${SHOP.domain}`)
      // Without its records the agent cannot remove its own site.
      expect(await answers(FOREIGN, SHOP.domain)).toEqual([true, true])
      expect([await agentUnits(), await failedUnits()]).toEqual(['', ''])
    },
    5 * MINUTES,
  )
}

/** Leftovers of a site's user. */
async function left(host: lab.Host, user: string): Promise<string[]> {
  const places = ['/etc', '/srv', '/var/lib', '/var/log', '/var/cache', '/run', '/usr/local']
  const { stdout } = await host.exec(['find', ...places, '-name', `*${user}*`])
  const { stdout: named } = await host.exec(['getent', 'passwd', user])
  const account = `SELECT CONCAT('account ', user) FROM mysql.user WHERE user LIKE '%${user}%'`
  const database = `SELECT CONCAT('database ', schema_name) FROM information_schema.schemata WHERE schema_name LIKE '%${user}%'`
  const rows = await host.must(['mariadb', '-N', '-e', `${account} UNION ${database}`])
  return [stdout, named, rows].flatMap((text) => text.split('\n').filter((line) => line !== ''))
}
