// tier: gate
import { beforeAll, describe, expect, test } from 'bun:test'
import type { SMTPServerOptions } from 'smtp-server'
import type { Relay as Setting } from '#agent/features/mail/setting.ts'
import { sendTest } from '#agent/programs/mail/send-test.ts'
import { speakingLines } from '#tests/support/hostile-values.ts'
import { Authority, type Certified, selfSigned } from '#tests/support/mail/certificates.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const NAME = 'localhost'
const TIMES = { connect_ms: 3000, answer_ms: 3000, accept_ms: 3000 }
/** For a relay that waits for the client. */
const QUICK = { ...TIMES, answer_ms: 100 }
let authority: Authority
let good: Certified

beforeAll(async () => {
  authority = await Authority.create()
  good = await authority.certify(NAME)
})

type Tls = Setting['tls']
const SECURED = { starttls: { disabledCommands: [] }, implicit: { secure: true }, none: {} }

/** The result of a test message, and the dialogue of both sides. */
async function outcomeOf(
  tls: Tls,
  options: SMTPServerOptions,
  change: Partial<Setting> = {},
  times = TIMES,
) {
  const relay = new Relay({ ...SECURED[tls], ...options })
  await relay.start()
  const lines: string[] = []
  const setting = { host: NAME, port: relay.port, tls, user: 'shop', password: 'right', ...change }
  const rules = {
    ...{ domain: 'shop.example', relay: setting, from_address: 'a@shop.example' },
    ...{ rewrite_from: 'foreign' as const, hourly_limit: 100 },
  }
  const say = (line: string) => lines.push(line)
  const smtp = { roots: authority.roots, times }
  const ended = sendTest(rules, 'ann@example.org', say, smtp)
  const answer = await ended.catch((error: Error) => error.message)
  await relay.stop()
  return { answer, lines, received: relay.received }
}

const secrets = ['right', ...['right', '\0shop\0right'].map((text) => btoa(text))]
const TAKEN = '250 2.0.0 Ok: queued as 1'

describe.each(['starttls', 'implicit'] as const)('a relay with %s', (tls) => {
  test.concurrent.each(['PLAIN', 'LOGIN'])('accepts a login with AUTH %s', async (method) => {
    const { answer, lines, received } = await outcomeOf(tls, { ...good, authMethods: [method] })
    expect(answer).toBe(TAKEN)
    expect(received).toMatchObject([{ user: 'shop', to: ['ann@example.org'] }])
    expect(lines.some((line) => line.startsWith(`> AUTH ${method}`))).toBe(true)
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
  })

  test.concurrent.each(['PLAIN', 'LOGIN'])(
    'gets exactly these credentials by %s',
    async (method) => {
      const signs = ` ${speakingLines.join('')} ä密码💩 `
      const seen: unknown[] = []
      const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _, done) => {
        seen.push(username, password)
        done(null, { user: 'shop' })
      }
      const change = { user: `user${signs}`, password: `password${signs}` }
      const options = { ...good, authMethods: [method], onAuth }
      expect((await outcomeOf(tls, options, change)).answer).toBe(TAKEN)
      expect(seen).toEqual([change.user, change.password])
    },
  )

  test.concurrent('gets no password if it offers neither PLAIN nor LOGIN', async () => {
    const { answer, lines } = await outcomeOf(tls, { ...good, authMethods: ['CRAM-MD5'] })
    expect(answer).toBe('the relay offers neither AUTH PLAIN nor AUTH LOGIN, but: CRAM-MD5')
    expect(lines.filter((line) => line.startsWith('> AUTH'))).toEqual([])
  })

  test.concurrent('refuses a wrong password with its own message', async () => {
    const { answer } = await outcomeOf(tls, good, { password: 'wrong' })
    expect(answer).toBe('535 5.7.8 No')
  })

  const SELF_SIGNED = /^TLS with the relay failed: self[- ]signed certificate/

  test.concurrent.each<[string, () => Promise<Certified> | Certified, RegExp, Partial<Setting>]>([
    ['a self-signed certificate', () => selfSigned(NAME), SELF_SIGNED, {}],
    [
      'the certificate of another name',
      () => authority.certify('other.example'),
      /altnames.*other\.example/,
      {},
    ],
    ['an expired certificate', () => authority.certify(NAME, -1), /expired/, {}],
    [
      'the right name in its certificate, reached by an address,',
      () => good,
      /IP.*127\.0\.0\.1|altnames/,
      { host: '127.0.0.1' },
    ],
  ])('with %s gets nothing', async (_, certified, reason, change) => {
    const { answer, lines, received } = await outcomeOf(tls, await certified(), change)
    expect(answer).toMatch(reason)
    expect(lines.filter((line) => /^> (AUTH|MAIL)/.test(line))).toEqual([])
    expect(received).toEqual([])
  })
})

test.concurrent('a relay without STARTTLS gets no password where TLS is wanted', async () => {
  const { answer, lines, received } = await outcomeOf('starttls', {
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
  })
  expect(answer).toBe('the relay does not offer STARTTLS: choose another kind of TLS, or port')
  expect(lines.filter((line) => line.startsWith('> '))).toEqual([
    expect.stringMatching(/^> EHLO /),
    '> STARTTLS',
  ])
  expect(received).toEqual([])
})

test.concurrent('a relay that offers no login gets no password', async () => {
  const { answer, lines } = await outcomeOf('none', { disabledCommands: ['AUTH'] })
  expect(answer).toBe('the relay offers no login: check the port and the kind of TLS')
  expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1)
})

test.concurrent('implicit TLS and STARTTLS are not confused', async () => {
  const later = await outcomeOf('starttls', { ...good, secure: true }, {}, QUICK)
  expect(later.answer).toBe('the relay did not answer within 0.1 seconds')
  expect(later.received).toEqual([])
  const first = await outcomeOf('implicit', { ...good, secure: false })
  expect(first.answer).toStartWith('TLS with the relay failed: ')
  expect(first.received).toEqual([])
})
