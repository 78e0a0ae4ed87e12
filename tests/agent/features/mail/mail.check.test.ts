import { expect, test } from 'bun:test'
import { mailApply } from '#agent/features/mail/mail.apply.ts'
import { mailCheck } from '#agent/features/mail/mail.check.ts'
import { mailApply as contract } from '#shared/mail/mail.apply.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const relay = {
  ...{ host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'agency' },
  password: 'needle-in-the-haystack',
}
const apply = (host: FakeHost, to: typeof relay | null) =>
  outcome(mailApply.run(contract.params.parse({ ...RULES, relay: to }), contextOf(host)))

test('a test sends as the user of the queue, and fails with the answer of the relay', async () => {
  const host = await server(shop)
  await apply(host, relay)
  const check = (to: string) => outcome(mailCheck.run({ domain: shop.domain, to }, contextOf(host)))
  const line = '/usr/local/bin/hosting-agent mail-try ann@example.org shop'
  host.answer(line, `< 220 hello\n${JSON.stringify({ taken: true, answer: '250 2.0.0 Ok' })}\n`)

  expect(await check('ann@example.org')).toEqual([
    [
      'Sending a test message to ann@example.org through smtp.example.com',
      '< 220 hello',
      'The relay took the message: 250 2.0.0 Ok',
    ],
    { answer: '250 2.0.0 Ok' },
  ])
  expect(host.runs.at(-1)?.options).toMatchObject({ user: 'hosting-mail', unconfined: true })

  host.answer(line, `${JSON.stringify({ taken: false, answer: '535 5.7.8 No' })}\n`)
  expect((await check('ann@example.org'))[1]).toBe(
    'The relay did not take the message: 535 5.7.8 No',
  )
  await apply(host, null)
  expect((await check('ann@example.org'))[1]).toBe(
    'Nothing was sent: no relay is configured for this site: mail is not sent',
  )
})
