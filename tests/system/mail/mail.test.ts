// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { Authority } from '#tests/support/mail/certificates.ts'
import { unless } from '#tests/support/skip.ts'
import {
  BLOG,
  MailWorld,
  PASSWORD,
  PORT,
  PROGRAM,
  RULES,
  SEND,
  SHOP,
} from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000

const FOREIGN_SOCKETS = `<?php
$socket = @stream_socket_client('unix://${MAIL_PATHS.socket(BLOG.user)}', $code, $text, 2);
echo json_encode([$socket !== false, is_readable('/var/lib/hosting-mail/settings/server.json'),
  @scandir('/var/lib/hosting-mail/queue'), @scandir('/var/lib/hosting-mail/sockets')]);
`

const FOREIGN = 'foreign.example.test'
const LATE = { domain: 'late.example.test', user: 'late1a2b3c' }
const NGINX = `server { listen 80; server_name ${FOREIGN}; location / { return 200 "foreign"; } }\n`

/**
 * `hosting-agent uninstall` on a server with sites, mail and a foreign site, from the mildest to
 * the most complete: other tests cannot use the server afterwards.
 */
function leavingChecks(
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

  test('uninstall keeps the sites unchanged, and mail() reports immediately that nothing is sent', async () => {
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
  })

  test('a reinstalled agent has the sites, and --purge removes its records and its trash', async () => {
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
  })

  test('--remove-sites removes only what this agent made', async () => {
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
  })
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

const NAME = 'relay.example.test'
const SEALED = { host: NAME, port: PORT + 1, tls: 'starttls', user: 'server', password: 'right' }
const TRUSTED = '/usr/local/share/ca-certificates/mail-test.crt'

/** Mail to a relay with TLS and a certificate that the server trusts, or not. */
function sealedRelayChecks(
  worldNow: () => MailWorld,
  send: (subject: string) => Promise<string>,
  apply: (params: object) => Promise<unknown>,
): void {
  test('mail waits while the certificate of the relay is not trusted, and is then sent once', async () => {
    const world = worldNow()
    const authority = await Authority.create()
    await world.startRelay({ port: SEALED.port, ...(await authority.certify(NAME)) })
    await world.host.must(['sh', '-c', `echo 127.0.0.1 ${NAME} >> /etc/hosts`])
    await apply({ relay: SEALED })
    expect(await send('sealed')).toBe('true')
    await world.until('the certificate is refused', async () =>
      /^TLS with the relay failed: .*certificate/.test((await world.status())?.problem?.answer),
    )
    expect(world.subjects).not.toContain('sealed')

    await world.host.put(TRUSTED, authority.pem)
    await world.host.must(['update-ca-certificates'])
    await world.until('the mail is there', () => world.subjects.includes('sealed'))
    expect(world.received.find(({ text }) => text.includes('sealed'))?.user).toBe('server')
    // The relay has the message before its answer arrives.
    await world.until('the queue is empty', async () => (await world.status())?.queued === 0)
    expect(await world.status()).toMatchObject({ queued: 0, problem: null })
  })
}

/** Sends mail on a new password, as security plugins do. */
const PASSWORD_NOTICE = `<?php
add_action('wp_set_password', fn() => wp_mail('owner@example.org', 'password changed', 'By ' . PHP_SAPI));
`

/** The agent's own runs in a site may make that send mail. */
function ownRunChecks(worldNow: () => MailWorld): void {
  test('mail of a program that the agent runs as a site uses the same queue', async () => {
    const world = worldNow()
    const folder = `/srv/www/${SHOP.user}/public/wp-content/mu-plugins`
    await world.host.must(['install', '-d', '-o', SHOP.user, '-g', SHOP.user, folder])
    await world.plant(SHOP, 'wp-content/mu-plugins/tells.php', PASSWORD_NOTICE)
    const answer = await world.agent.call('/sites/admin-password', { domain: SHOP.domain })
    expect(JSON.parse(answer)).toMatchObject({ user: expect.any(String) })
    await world.until('the mail is there', () => world.subjects.includes('password changed'))
    const { text, from } = world.received.find((one) => one.text.includes('password changed')) ?? {}
    expect(text).toContain('By cli')
    expect(from).toBe('wordpress@shop.example.test')
  })
}

/** Mail of sites on an installed server, with a real relay that refuses, delays and dies. */
for (const suite of releases('mail')) {
  unless(lab.available()).describe(`the mail of sites on ${suite}`, () => {
    let world: MailWorld

    beforeAll(async () => {
      world = await MailWorld.start(suite)
      await world.plant(SHOP, 'send.php', SEND)
      await world.plant(SHOP, 'foreign.php', FOREIGN_SOCKETS)
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    const send = async (subject: string, { to = 'ann@example.org', wp = false } = {}) => {
      const query = new URLSearchParams({ to, subject, ...(wp && { wp: '1' }) })
      const { body } = await get(world.host, `http://${SHOP.domain}/send.php?${query}`)
      return body
    }
    const apply = (params: object) => world.done('mail.apply', { ...RULES, ...params })
    const relay = { host: '127.0.0.1', port: PORT, tls: 'none', user: 'server', password: PASSWORD }

    test('without a relay, mail() fails immediately', async () => {
      expect(await send('nowhere')).toBe('false')
    })

    test('mail() and wp_mail() reach the relay with a valid sender', async () => {
      await world.startRelay()
      expect(await apply({ relay })).toEqual({ status: 'ok', relay: true })
      await world.until('the queue listens', async () => (await send('first')) === 'true')
      expect(await send('second', { wp: true })).toBe('true')

      await world.until('both are there', () => world.received.length === 2)
      const [first, second] = world.received
      expect(first).toMatchObject({ from: 'shop@shop.example.test', user: 'server' })
      expect(first?.text).toEndWith('\r\n\r\nA line\r\n.\r\nand the last\r\n')
      expect(second?.from).toBe('wordpress@shop.example.test')
    })

    test('a password is reset by the form of wp-login.php', async () => {
      const url = `http://${SHOP.domain}/wp-login.php?action=lostpassword`
      const options = ['--data', 'user_login=owner@example.org&redirect_to=&wp-submit=1']
      const { headers } = await get(world.host, url, { options })
      expect(headers).toContain('checkemail=confirm')

      await world.until('the mail is there', () => world.received.length === 3)
      const { to, text } = world.received[2] ?? { to: [], text: '' }
      expect(to).toEqual(['owner@example.org'])
      const [link = ''] = /http:\/\/\S+action=rp\S*/.exec(text.replaceAll('=\r\n', '')) ?? []
      expect(link).toContain(SHOP.domain)
      const form = await get(world.host, link, { options: ['--location', '--cookie', ''] })
      expect(form.body).toContain('resetpassform')
    })

    test('a refusal is recorded with the message of the relay, and "later" is retried', async () => {
      world.switch('later', true)
      expect(await send('refused', { to: 'bounce@example.org' })).toBe('true')
      expect(await send('deferred', { to: 'defer@example.org' })).toBe('true')
      await world.until('both have an answer', async () => {
        const status = await world.status()
        return status?.failed_day === 1 && status?.queued === 1
      })
      expect((await world.status())?.failures).toMatchObject([
        { recipient: 'bounce@example.org', answer: '550 5.1.1 No such user' },
      ])

      world.switch('later', false)
      await world.until('the deferred one is there', () => world.subjects.includes('deferred'))
      expect(world.subjects).not.toContain('refused')
    })

    test('a slow relay, a stopped relay and a killed queue lose and repeat nothing', async () => {
      world.switch('hold', true)
      const wanted = ['slow 1', 'down 1', 'down 2', 'killed 1', 'killed 2', 'killed 3']
      expect(await send('slow 1')).toBe('true')
      expect(await send('down 1')).toBe('true')
      await world.stopRelay()
      expect(await send('down 2')).toBe('true')
      await world.until('the relay is missed', async () => (await world.status())?.problem !== null)

      const kill = ['systemctl', 'kill', '--signal=SIGKILL', 'hosting-agent-mail.service']
      for (const subject of ['killed 1', 'killed 2', 'killed 3']) {
        await world.host.must(kill)
        expect(await send(subject)).toBe('true')
      }
      world.switch('hold', false)
      await world.startRelay()
      const sent = () => world.subjects.filter((subject) => /^(slow|down|killed) /.test(subject))
      await world.until('all are there, and nothing waits', async () => {
        return sent().length >= wanted.length && (await world.status())?.queued === 0
      })
      expect(sent()).toEqual(wanted.sort())
    })

    test('a test shows the dialogue and the answer of the relay, and never the password', async () => {
      const good = await world.agent.start('mail.check', { to: 'ann@example.org' }).ended
      const lines = good.map(({ data }) => JSON.stringify(data)).join('\n')
      expect(good.at(-1)).toMatchObject({ event: 'complete' })
      expect(lines).toContain('< 220 ')
      expect(lines).toContain('AUTH PLAIN (user and password)')
      expect(lines).not.toContain(Buffer.from(`\0server\0${PASSWORD}`).toString('base64'))

      const params = { domain: SHOP.domain, relay: { ...relay, password: 'wrong' } }
      await apply(params)
      const bad = await world.agent.start('mail.check', { ...SHOP, to: 'ann@example.org' }).ended
      expect(bad.at(-1)).toMatchObject({
        event: 'error',
        data: { message: 'The relay did not take the message: 535 5.7.8 No' },
      })
      await apply({ domain: SHOP.domain, relay: null })
    })

    ownRunChecks(() => world)
    sealedRelayChecks(() => world, send, apply)

    test('a site reaches neither the socket of its neighbour, nor passwords, nor the queue', async () => {
      const { body } = await get(world.host, `http://${SHOP.domain}/foreign.php`)
      expect(JSON.parse(body)).toEqual([false, false, false, false])
    })

    test('the password of the relay is in no journal, no record of an operation and no argument', async () => {
      await apply({ relay: { ...relay, password: 'needle-in-the-haystack' } })
      const search = [
        'grep',
        '-rl',
        'needle-in-the-haystack',
        '/etc',
        '/run',
        '/var/lib',
        '/var/log',
        '/srv/www',
      ]
      const { stdout } = await world.host.exec([...search, '--exclude-dir=mysql'])
      expect(stdout.trim()).toBe('/var/lib/hosting-mail/settings/server.json')
      const stat = ['stat', '--format=%a %U %G', '/var/lib/hosting-mail/settings/server.json']
      expect((await world.host.must(stat)).trim()).toBe('640 root hosting-mail')
    })

    test('without a relay the queue stops, and mail() fails again', async () => {
      await apply({ relay: null })
      expect(await send('nowhere')).toBe('false')
      const unit = await world.host.exec(['systemctl', 'is-active', 'hosting-agent-mail.service'])
      expect(unit.stdout.trim()).toBe('inactive')
      const { php } = suites[suite]
      await world.done('site.update', { domain: SHOP.domain, php })
      await apply({ relay })
    })

    leavingChecks(suite, () => world, send)
  })
}
