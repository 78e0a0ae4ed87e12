import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { type Message, makeMailer } from '#dashboard/features/alerts/mailer.ts'
import { readSmtpUrl } from '#dashboard/features/alerts/smtp-url.ts'
import { Authority, type Certified } from '#tests/support/mail/certificates.ts'
import { OddRelay } from '#tests/support/mail/odd-relay.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const FROM = 'alerts@control.example'
const MESSAGE: Message = { to: ['ann@example.org'], subject: 'Straße', text: 'Words', id: 'one' }
/** No test but that of a silent server depends on them. */
const TIMES = { connect_ms: 30_000, answer_ms: 30_000, total_ms: 30_000 }
const ends: (() => unknown)[] = []
let certified: Certified

beforeAll(async () => {
  certified = await (await Authority.create()).certify('localhost')
})

afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function relay(options: ConstructorParameters<typeof Relay>[0] = {}): Promise<Relay> {
  const started = new Relay(options)
  await started.start()
  ends.push(() => started.stop())
  return started
}

function mailerTo(url: string, times = TIMES) {
  const server = readSmtpUrl(url)
  if (!server) throw new Error(`${url} is not valid`)
  return makeMailer(server, FROM, times)
}

describe('an SMTP_URL', () => {
  const login = { user: 'shop', password: expect.anything() }
  test.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, tls: 'starttls', login: null }],
    ['smtps://mail.example/', { host: 'mail.example', port: 465, tls: 'implicit', login: null }],
    [
      'smtp://shop:a%40b@mail.example:25',
      { host: 'mail.example', port: 25, tls: 'starttls', login },
    ],
    ['smtp://10.0.0.1?tls=none', { host: '10.0.0.1', port: 587, tls: 'plain', login: null }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, tls: 'plain', login: null }],
    ['smtp://localhost', { host: 'localhost', port: 587, tls: 'plain', login: null }],
  ])('%s is read', (url, server) => {
    expect(readSmtpUrl(url)).toEqual(server as never)
  })

  test('has its user and password decoded', () => {
    const { login: known } = readSmtpUrl('smtp://a%2Fb:c%3Ad@mail.example') ?? {}
    expect([known?.user, known?.password.reveal()]).toEqual(['a/b', 'c:d'])
  })

  test.each([
    'smtp://',
    'http://mail.example',
    'smtp://mail.example/path',
    'smtp://mail.example?tls=off',
    'smtps://mail.example?tls=none',
    'smtp://mail.example?pool=true',
    'smtp://mail.example#x',
    'smtp://:password@mail.example',
    'smtp://%zz:a@mail.example',
    'smtp://mail.example:70000',
  ])('%s is not valid', (url) => {
    expect(readSmtpUrl(url)).toBeUndefined()
  })
})

describe('a message', () => {
  test('reaches the server, whose answer is returned', async () => {
    const { port, received } = await relay()
    const mailer = mailerTo(`smtp://127.0.0.1:${port}`)

    expect(await mailer.send({ ...MESSAGE, references: ['zero'] })).toEqual({
      accepted: true,
      answer: '250 2.0.0 Ok: queued as 1',
      refused: [],
    })
    expect(received).toMatchObject([{ from: FROM, to: ['ann@example.org'], user: '' }])
    for (const line of [
      'From: Hosting Control <alerts@control.example>',
      'Message-ID: <one@control.example>',
      'References: <zero@control.example>',
      'Auto-Submitted: auto-generated',
      'Subject: =?UTF-8?Q?Stra=C3=9Fe?=',
    ])
      expect(received[0]?.text).toContain(line)
  })

  test.each(['PLAIN', 'LOGIN'])('is sent after a login by %s', async (method) => {
    const { port, received } = await relay({ authOptional: false, authMethods: [method] })
    const { answer } = await mailerTo(`smtp://shop:right@127.0.0.1:${port}`).send(MESSAGE)
    expect(answer).toBe('250 2.0.0 Ok: queued as 1')
    expect(received).toMatchObject([{ user: 'shop' }])
  })

  test('reaches the others when one recipient is refused', async () => {
    const { port } = await relay()
    const to = ['bounce@example.org', 'ann@example.org']
    expect(await mailerTo(`smtp://127.0.0.1:${port}`).send({ ...MESSAGE, to })).toEqual({
      accepted: true,
      answer: '250 2.0.0 Ok: queued as 1',
      refused: ['bounce@example.org'],
    })
  })

  test.each([
    ['a wrong password', 'shop:wrong@', MESSAGE, '535 5.7.8 No'],
    ['a refused recipient', '', { ...MESSAGE, to: ['bounce@a.example'] }, '550 5.1.1 No such user'],
    ['a deferred recipient', '', { ...MESSAGE, to: ['defer@a.example'] }, '451 4.7.1 Try later'],
    ['a refused text', '', { ...MESSAGE, subject: 'refuse' }, '554 5.7.1 Spam'],
  ])('returns the answer to %s', async (_, login, message, answer) => {
    const { port } = await relay()
    const sent = await mailerTo(`smtp://${login}127.0.0.1:${port}`).send(message)
    expect(sent).toEqual({ accepted: false, answer, refused: [] })
  })

  test('is not sent without the encryption that is required', async () => {
    const { port, received } = await relay()
    const server = { host: '127.0.0.1', port, tls: 'starttls', login: null } as const
    const { accepted, answer } = await makeMailer(server, FROM, TIMES).send(MESSAGE)
    expect([accepted, received]).toEqual([false, []])
    expect(answer).toMatch(/STARTTLS/)
  })

  test.each([
    ['smtp:', { disabledCommands: [] }, 'starttls'],
    ['smtps:', { secure: true }, 'implicit'],
  ] as [string, SMTPServerOptions, 'starttls' | 'implicit'][])(
    'is not sent over %s to a server with a certificate of a stranger',
    async (_, more, tls) => {
      const { port, received } = await relay({ ...certified, ...more })
      const server = { host: 'localhost', port, tls, login: null }
      const { accepted, answer } = await makeMailer(server, FROM, TIMES).send(MESSAGE)
      expect([accepted, received]).toEqual([false, []])
      expect(answer).toMatch(/certificate/)
    },
  )

  test('is sent without encryption to this machine, whatever its certificate is', async () => {
    const { port } = await relay({ ...certified, disabledCommands: [] })
    const { answer } = await mailerTo(`smtp://127.0.0.1:${port}`).send(MESSAGE)
    expect(answer).toBe('250 2.0.0 Ok: queued as 1')
  })

  test('tells a refused connection, a silent server and an unknown name apart', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    ends.push(() => silent.close())
    const { port } = silent.address() as { port: number }
    const soon = { ...TIMES, answer_ms: 300 }
    const sent = await Promise.all([
      mailerTo('smtp://127.0.0.1:1').send(MESSAGE),
      mailerTo(`smtp://127.0.0.1:${port}`, soon).send(MESSAGE),
      mailerTo('smtp://no.invalid').send(MESSAGE),
    ])
    expect(sent.map(({ answer }) => answer)).toEqual([
      'The server refused the connection',
      'The server did not answer in time',
      'The name of the server cannot be resolved',
    ])
  })

  test('is certainly not sent if the server has not asked for its text', async () => {
    const closing = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve))
    ends.push(() => closing.close())
    const { port } = closing.address() as { port: number }
    const untrusted = await relay({ ...certified, secure: true })

    const sent = [
      await mailerTo(`smtp://127.0.0.1:${port}`).send(MESSAGE),
      await mailerTo(`smtps://127.0.0.1:${untrusted.port}`).send(MESSAGE),
    ]

    expect(sent.map(({ accepted, is_unclear }) => [accepted, is_unclear])).toEqual([
      [false, undefined],
      [false, undefined],
    ])
    expect(untrusted.received).toEqual([])
  })

  test('has no password in the answer of a server that repeats it', async () => {
    const password = 'needle-in-a-haystack'
    const forms = ['shop', password, `\0shop\0${password}`].map((form) => btoa(form))
    const odd = await OddRelay.start({
      AUTH: `535 5.7.8 no ${password} ${forms.join(' ')} ${encodeURIComponent(password)}`,
    })
    ends.push(() => odd.stop())
    const { answer } = await mailerTo(`smtp://shop:${password}@127.0.0.1:${odd.port}`).send(MESSAGE)
    expect(answer).toStartWith('535 5.7.8 no *** ')
    for (const form of [password, ...forms.slice(1)]) expect(answer).not.toContain(form)
  })
})
