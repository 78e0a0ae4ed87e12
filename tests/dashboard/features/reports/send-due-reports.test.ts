import { afterEach, describe, expect, test } from 'bun:test'
import {
  type Mailer,
  type Message,
  makeMailer,
  type SendResult,
} from '#dashboard/features/alerts/mailer.ts'
import { sendDueReports } from '#dashboard/features/reports/send-due-reports.ts'
import { report_mails } from '#dashboard/kernel/db/reports-schema.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { PNG } from '#tests/support/dashboard/logos.ts'
import { dashboardWithSite } from '#tests/support/dashboard/reports.ts'
import { OddRelay } from '#tests/support/mail/odd-relay.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const FROM = 'reports@control.example'
const CLIENT = 'owner@shop.example'
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A mailer whose server answers as told. */
function fakeMailer(answer: () => SendResult | Promise<SendResult> = accepted) {
  const sent: Message[] = []
  const mailer = {
    server: { host: 'smtp.example', port: 587, tls: 'starttls' as const },
    from: FROM,
    async send(message: Message) {
      sent.push(message)
      return answer()
    },
  }
  return { mailer, sent }
}

const accepted = (): SendResult => ({ accepted: true, answer: '250 Ok', refused: [] })
const refusing = (): SendResult => ({ accepted: false, answer: '451 Later', refused: [] })
const unclear = (): SendResult => ({
  accepted: false,
  answer: 'The server ended the connection',
  refused: [],
  is_unclear: true,
})

async function world({ mailer }: { mailer?: Mailer } = {}, time = '2026-01-20T00:00:00.000Z') {
  const made = await dashboardWithSite(time, mailer ? { mailer } : {})
  const { dashboard, path, moveTo } = made
  ends.push(() => dashboard[Symbol.asyncDispose]())
  const mails = () => dashboard.db.read.select().from(report_mails)
  return {
    ...made,
    mails,
    enable: (recipients = [CLIENT]) =>
      dashboard.call('PUT', `${path}/mail`, { enabled: true, recipients }),
    /** A look at a time. */
    at: async (to: string) => {
      moveTo(to)
      await dashboard.signIn()
      await sendDueReports(dashboard.deps)
    },
  }
}

const SENT = {
  site_id: 1,
  month: '2026-01',
  state: 'sent',
  attempts: 1,
  recipients: [CLIENT],
  refused: [],
  answer: '250 Ok',
}

describe('the report of the last month', () => {
  test('is sent once, from the time of the settings on', async () => {
    const { mailer, sent } = fakeMailer()
    const { dashboard, enable, at, mails } = await world({ mailer })
    await dashboard.call('PUT', '/api/settings/report_time', { value: { day: 2, at: '07:30' } })
    await enable()
    await at('2026-02-02T07:29:00.000Z')
    expect(sent).toEqual([])

    for (const time of ['02T07:30', '02T07:31', '03T07:31', '28T23:00'])
      await at(`2026-02-${time}:00.000Z`)

    expect(sent).toMatchObject([{ to: [CLIENT], subject: 'Report for shop.example: January 2026' }])
    expect(await mails()).toEqual([{ ...SENT, at: '2026-02-02T07:30:00.000Z' } as never])
    await at('2026-03-02T07:30:00.000Z')
    expect(sent.map(({ subject }) => subject)).toEqual([
      'Report for shop.example: January 2026',
      'Report for shop.example: February 2026',
    ])
  })

  test('is sent once by two dashboards on the same records', async () => {
    const { mailer, sent } = fakeMailer(() => Bun.sleep(20).then(accepted))
    const { dashboard, enable, moveTo, clock } = await world({ mailer })
    await enable()
    moveTo('2026-02-01T06:00:00.000Z')
    const other = await makeDashboard({ clock, mailer, folder: dashboard.folder })
    ends.push(() => other.stop())

    await Promise.all([sendDueReports(dashboard.deps), sendDueReports(other.deps)])

    expect(sent).toHaveLength(1)
  })

  test('is not sent again after a crash in between, and shown as unclear', async () => {
    const { mailer, sent } = fakeMailer(() => Promise.reject(new Error('killed')))
    const { dashboard, enable, at, mails, path } = await world({ mailer })
    await enable()
    await at('2026-02-01T06:00:00.000Z').catch(() => undefined)
    await at('2026-02-01T06:05:00.000Z')
    expect(await mails()).toMatchObject([{ state: 'sending' }])
    await at('2026-02-01T06:10:00.000Z')
    await at('2026-02-05T06:00:00.000Z')

    expect(sent).toHaveLength(1)
    const answer = 'The dashboard stopped while it sent the report'
    expect((await dashboard.call('GET', `${path}/mail`)).body.mail.sent).toMatchObject([
      { month: '2026-01', state: 'unclear', answer },
    ])
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    expect(attention.find(({ kind }: { kind: string }) => kind === 'report_mail')).toMatchObject({
      severity: 'warning',
      total: 1,
      items: [
        {
          name: 'shop.example',
          reason: `Whether the report of 2026-01 was sent is unclear (${answer}): ask a recipient, or send it again on its page`,
        },
      ],
    })
  })

  test('whose answer was lost is not sent again', async () => {
    const { mailer, sent } = fakeMailer(unclear)
    const { enable, at, mails } = await world({ mailer })
    await enable()
    for (const hour of ['06', '08', '10']) await at(`2026-02-01T${hour}:00:00.000Z`)

    expect(sent).toHaveLength(1)
    expect(await mails()).toMatchObject([{ state: 'unclear', attempts: 1 }])
  })

  test('that was refused is sent again after an hour, and at most for a day', async () => {
    const { mailer, sent } = fakeMailer(refusing)
    const { enable, at, mails } = await world({ mailer })
    await enable()
    for (const time of ['06:00', '06:30', '07:00']) await at(`2026-02-01T${time}:00.000Z`)
    expect(sent).toHaveLength(2)
    for (let hour = 0; hour < 48; hour += 1)
      await at(new Date(Date.UTC(2026, 1, 2, hour)).toISOString())

    expect(sent).toHaveLength(24)
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    expect(await mails()).toMatchObject([{ state: 'failed', attempts: 24, answer: '451 Later' }])
  })

  test('is not sent when it was turned on later, is off, or the site is gone', async () => {
    const { mailer, sent } = fakeMailer()
    const { dashboard, enable, at, moveTo, path, change } = await world({ mailer })
    moveTo('2026-02-03T00:00:00.000Z')
    await enable()
    await at('2026-02-03T00:10:00.000Z')
    await change({ status: 'trashed' })
    await at('2026-03-01T06:00:00.000Z')
    await change({ status: 'active' })
    await dashboard.call('PUT', `${path}/mail`, { enabled: false, recipients: [CLIENT] })
    await at('2026-03-01T06:01:00.000Z')

    expect(sent).toEqual([])
  })

  test('waits for an SMTP server', async () => {
    const { dashboard, enable, at, mails, path } = await world()
    expect((await enable()).body.mail).toMatchObject({ can_send: false, next_at: null })
    await at('2026-02-01T06:00:00.000Z')

    expect(await mails()).toEqual([])
    const { status, body } = await dashboard.call('POST', `${path}/test`, {})
    expect([status, body.message]).toEqual([409, expect.stringContaining('SMTP_URL')])
  })
})

describe('a person', () => {
  test('sends it again, also after an unclear outcome', async () => {
    const outcomes = [unclear(), accepted()]
    const { mailer, sent } = fakeMailer(() => outcomes.shift() ?? accepted())
    const { dashboard, enable, at, path } = await world({ mailer })
    await enable()
    await at('2026-02-01T06:00:00.000Z')

    const { status, body } = await dashboard.call('POST', `${path}/send`, { month: '2026-01' })

    expect([status, body.mail.sent]).toMatchObject([200, [{ state: 'sent', attempts: 2 }]])
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    await at('2026-02-01T08:00:00.000Z')
    expect(sent).toHaveLength(2)
  })

  test('cannot send a month that is not over, nor without recipients', async () => {
    const { mailer, sent } = fakeMailer()
    const { dashboard, enable, path } = await world({ mailer })
    expect((await dashboard.call('POST', `${path}/send`, { month: '2025-12' })).body).toEqual({
      error: 'Conflict',
      message: 'The report has no recipients: add one first',
    })
    await enable()

    expect(
      (await dashboard.call('POST', `${path}/send`, { month: '2026-01' })).body.fields,
    ).toEqual({ month: ['Must be over'] })
    expect(sent).toEqual([])
  })

  test('tests it with a message to the own address alone', async () => {
    const { mailer, sent } = fakeMailer()
    const { dashboard, enable, path, mails } = await world({ mailer })
    await enable()

    const { body } = await dashboard.call('POST', `${path}/test`, { month: '2026-01' })

    expect(body).toEqual({ to: 'ann@control.example', accepted: true, answer: '250 Ok' })
    expect(sent).toMatchObject([
      { to: ['ann@control.example'], subject: 'Test: Report for shop.example: January 2026' },
    ])
    expect(await mails()).toEqual([])
  })

  test.each([
    [{ enabled: true, recipients: [] }, 'Must have an address while the report is mailed'],
    [{ enabled: false, recipients: ['x'] }, 'Must be an e-mail address'],
    [{ enabled: false, recipients: ['a@b.example', 'A@b.example'] }, 'Must not have duplicates'],
    [
      {
        enabled: false,
        recipients: Array.from({ length: 11 }, (_, place) => `a${place}@b.example`),
      },
      'Must have at most 10 addresses',
    ],
  ])('cannot set %o', async (mail, rule) => {
    const { dashboard, path } = await world()

    const { status, body } = await dashboard.call('PUT', `${path}/mail`, mail)

    expect([status, body.fields]).toEqual([422, { recipients: [rule] }])
  })
})

test('the message is HTML with the logo in it, and plain text', async () => {
  const relay = new Relay()
  await relay.start()
  ends.push(() => relay.stop())
  const server = { host: '127.0.0.1', port: relay.port, tls: 'plain', login: null } as const
  const { dashboard, path } = await world({ mailer: makeMailer(server, FROM) })
  const branding = {
    name: 'Smith & <Sons>',
    color: '#1d4ed8',
    reply_to: 'hello@agency.example',
    closing: 'Thank you.',
  }
  await dashboard.call('PUT', '/api/fleet/branding', branding)
  await dashboard.call('PUT', '/api/fleet/branding/logo', { image: PNG.toString('base64') })

  await dashboard.call('POST', `${path}/test`, {})

  const text = (relay.received[0]?.text ?? '').replace(/\r\n/g, '\n').replace(/=\n/g, '')
  expect(text).toContain('From: "Smith & <Sons>" <reports@control.example>')
  expect(text).toContain('Reply-To: hello@agency.example')
  expect(text).toContain('Content-Type: multipart/alternative;')
  expect(text).toContain('Content-Type: image/png; name=logo.png')
  expect(text).toContain('Content-ID: <logo@report>')
  expect(text).toContain('Smith &amp; &lt;Sons&gt;')
  expect(text).toContain('Write to hello@agency.example if you have a question')
  expect(text).toContain('src=3D"cid:logo@report"')
  expect(text).not.toMatch(/(src|href)=3D"(?!cid:)/)
})

test('an answer that is lost after the text of the message is unclear', async () => {
  const odd = await OddRelay.start({ text: 'close' })
  ends.push(() => odd.stop())
  const server = { host: '127.0.0.1', port: odd.port, tls: 'plain', login: null } as const
  const message = { to: ['a@b.example'], subject: 's', text: 't', id: 'one' }

  const sent = await makeMailer(server, FROM).send(message)

  expect(sent).toMatchObject({ accepted: false, is_unclear: true })
})
