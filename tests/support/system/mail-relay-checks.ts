import { expect, test } from 'bun:test'
import { Authority } from '#tests/support/mail/certificates.ts'
import { type MailWorld, PORT, SHOP } from './mail-world.ts'

const MINUTES = 60_000
const NAME = 'relay.example.test'
const SEALED = { host: NAME, port: PORT + 1, tls: 'starttls', user: 'server', password: 'right' }
const TRUSTED = '/usr/local/share/ca-certificates/mail-test.crt'

/** Mail to a relay with TLS and a certificate that the server trusts, or not. */
export function sealedRelayChecks(
  worldNow: () => MailWorld,
  send: (subject: string) => Promise<string>,
  apply: (params: object) => Promise<unknown>,
): void {
  test(
    'mail waits while the certificate of the relay is not trusted, and is then sent once',
    async () => {
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
      expect(await world.status()).toMatchObject({ queued: 0, problem: null })
    },
    5 * MINUTES,
  )
}

/** Sends mail on a new password, as security plugins do. */
const PASSWORD_NOTICE = `<?php
add_action('wp_set_password', fn() => wp_mail('owner@example.org', 'password changed', 'By ' . PHP_SAPI));
`

/** The agent's own runs in a site may make that send mail. */
export function ownRunChecks(worldNow: () => MailWorld): void {
  test(
    'mail of a program that the agent runs as a site uses the same queue',
    async () => {
      const world = worldNow()
      const folder = `/srv/www/${SHOP.user}/public/wp-content/mu-plugins`
      await world.host.must(['install', '-d', '-o', SHOP.user, '-g', SHOP.user, folder])
      await world.plant(SHOP, 'wp-content/mu-plugins/tells.php', PASSWORD_NOTICE)
      const answer = await world.agent.call('/sites/admin-password', { domain: SHOP.domain })
      expect(JSON.parse(answer)).toMatchObject({ user: expect.any(String) })
      await world.until('the mail is there', () => world.subjects.includes('password changed'))
      const { text, from } =
        world.received.find((one) => one.text.includes('password changed')) ?? {}
      expect(text).toContain('By cli')
      expect(from).toBe('wordpress@shop.example.test')
    },
    5 * MINUTES,
  )
}
