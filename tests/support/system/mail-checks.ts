import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MAIL } from '#agent/os/mail/places.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { leavingChecks } from './leaving-checks.ts'
import { ownRunChecks, sealedRelayChecks } from './mail-relay-checks.ts'
import { BLOG, MailWorld, PORT, SHOP } from './mail-world.ts'
import { get } from './requests.ts'

const MINUTES = 60_000
export const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
export const PASSWORD = 'right'

/** Sends by `mail()`, or by WordPress's `wp_mail()`, and prints whether it worked. */
export const SEND = `<?php
[$to, $subject] = [$_GET['to'], $_GET['subject']];
if (isset($_GET['wp'])) {
  require __DIR__ . '/wp-load.php';
  exit(json_encode(wp_mail($to, $subject, "A line\\n.\\nand the last")));
}
echo json_encode(mail($to, $subject, "A line\\n.\\nand the last", 'From: Shop <shop@shop.example.test>'));
`

const FOREIGN = `<?php
$socket = @stream_socket_client('unix://${MAIL.socket(BLOG.user)}', $code, $text, 2);
echo json_encode([$socket !== false, is_readable('/var/lib/hosting-mail/settings/server.json'),
  @scandir('/var/lib/hosting-mail/queue'), @scandir('/var/lib/hosting-mail/sockets')]);
`

/** Mail of sites on an installed server, with a real relay that refuses, delays and dies. */
export function mailOn(suite: Suite): void {
  unless(lab.available()).describe(`the mail of sites on ${suite}`, () => {
    let world: MailWorld

    beforeAll(async () => {
      world = await MailWorld.start(suite)
      await world.plant(SHOP, 'send.php', SEND)
      await world.plant(SHOP, 'foreign.php', FOREIGN)
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

    test(
      'mail() and wp_mail() reach the relay with a valid sender',
      async () => {
        await world.startRelay()
        expect(await apply({ relay })).toEqual({ status: 'ok', relay: true })
        await world.until('the queue listens', async () => (await send('first')) === 'true')
        expect(await send('second', { wp: true })).toBe('true')

        await world.until('both are there', () => world.received.length === 2)
        const [first, second] = world.received
        expect(first).toMatchObject({ from: 'shop@shop.example.test', user: 'server' })
        expect(first?.text).toEndWith('\r\n\r\nA line\r\n.\r\nand the last\r\n')
        expect(second?.from).toBe('wordpress@shop.example.test')
      },
      5 * MINUTES,
    )

    test(
      'a password is reset by the form of wp-login.php',
      async () => {
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
      },
      5 * MINUTES,
    )

    test(
      'a refusal is recorded with the message of the relay, and "later" is retried',
      async () => {
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
      },
      5 * MINUTES,
    )

    test(
      'a slow relay, a stopped relay and a killed queue lose and repeat nothing',
      async () => {
        world.switch('hold', true)
        const wanted = ['slow 1', 'down 1', 'down 2', 'killed 1', 'killed 2', 'killed 3']
        expect(await send('slow 1')).toBe('true')
        expect(await send('down 1')).toBe('true')
        await world.stopRelay()
        expect(await send('down 2')).toBe('true')
        await world.until(
          'the relay is missed',
          async () => (await world.status())?.problem !== null,
        )

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
      },
      5 * MINUTES,
    )

    test(
      'a test shows the dialogue and the answer of the relay, and never the password',
      async () => {
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
      },
      5 * MINUTES,
    )

    ownRunChecks(() => world)
    sealedRelayChecks(() => world, send, apply)

    test('a site reaches neither the socket of its neighbour, nor passwords, nor the queue', async () => {
      const { body } = await get(world.host, `http://${SHOP.domain}/foreign.php`)
      expect(JSON.parse(body)).toEqual([false, false, false, false])
    })

    test(
      'the password of the relay is in no journal, no record of an operation and no argument',
      async () => {
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
      },
      5 * MINUTES,
    )

    test(
      'without a relay the queue stops, and mail() fails again',
      async () => {
        await apply({ relay: null })
        expect(await send('nowhere')).toBe('false')
        const unit = await world.host.exec(['systemctl', 'is-active', 'hosting-agent-mail.service'])
        expect(unit.stdout.trim()).toBe('inactive')
        const { php } = suites[suite]
        await world.done('site.update', { domain: SHOP.domain, php })
        await apply({ relay })
      },
      5 * MINUTES,
    )

    leavingChecks(suite, () => world, send)
  })
}
