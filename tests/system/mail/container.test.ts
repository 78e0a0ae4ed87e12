// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { MailWorld, PASSWORD, PORT, RULES, SEND, SHOP } from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000

unless(lab.available()).describe('the mail of sites where systemd does not run', () => {
  let world: MailWorld

  beforeAll(async () => {
    world = await MailWorld.startDirectly('bookworm')
    await world.plant(SHOP, 'send.php', SEND)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const send = async (subject: string) => {
    const query = new URLSearchParams({ to: 'ann@example.org', subject })
    return (await get(world.host, `http://${SHOP.domain}/send.php?${query}`)).body
  }
  const relay = { host: '127.0.0.1', port: PORT, tls: 'none', user: 'server', password: PASSWORD }

  test('the agent starts the queue as its own user, and mail() reaches the relay', async () => {
    expect(await send('nowhere')).toBe('false')
    await world.startRelay()
    await world.done('mail.apply', { ...RULES, relay })
    await world.until('the queue listens', async () => (await send('first')) === 'true')
    await world.until('the mail is there', () => world.subjects.includes('first'))

    const pid = (await world.host.must(['cat', '/run/hosting-mail.pid'])).trim()
    const status = await world.host.must(['cat', `/proc/${pid}/status`])
    const uid = (await world.host.must(['id', '-u', 'hosting-mail'])).trim()
    expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
    expect(status).toMatch(/^CapBnd:\t0000000000000000$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
  })

  test('a test shows the answer of the relay, and without a relay the queue ends', async () => {
    const params = { domain: SHOP.domain, to: 'bounce@example.org' }
    const events = await world.agent.start('mail.check', params).ended
    expect(events.at(-1)?.data).toMatchObject({
      message: 'The relay did not take the message: 550 5.1.1 No such user',
    })
    await world.done('mail.apply', { ...RULES, relay: null })
    expect(await send('nowhere')).toBe('false')
    const left = await world.host.exec(['pgrep', '-u', 'hosting-mail'])
    expect(left.stdout.trim()).toBe('')
  })
})
