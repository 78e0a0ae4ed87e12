import { expect, test } from 'bun:test'
import { Logins } from '#agent/features/access/logins.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { ANNA_FINGERPRINT as KEY } from '#tests/support/ssh-keys.ts'

const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const AT = Date.UTC(2026, 0, 1, 12)

const line = (MESSAGE: unknown, ms = AT, _PID = '7') =>
  `${JSON.stringify({ __REALTIME_TIMESTAMP: `${ms}000`, MESSAGE, _PID })}\n`
const accepted = (user: string, from = '203.0.113.7', key = KEY) =>
  line(`Accepted publickey for ${user} from ${from} port 4242 ssh2: ED25519 ${key}`)

test('lists the logins to sites, with their keys, and no others', async () => {
  const host = await server(shop)
  host.disk.putText(DROP_IN, '')
  host.answer(
    'journalctl',
    [
      accepted('shop'),
      accepted('root'),
      accepted('shop.ssh', '2001:db8::7'),
      accepted('shop', 'web-1'),
      accepted('shop', '203.0.113.7', 'SHA256:short'),
      line(`x Accepted publickey for shop from 203.0.113.7 port 1 ssh2: ED25519 ${KEY}`),
      line('Accepted password for shop.abcd2345 from 203.0.113.8 port 4242 ssh2'),
      line('Accepted password for shop from 203.0.113.8 port 4242 ssh2'),
      line('Accepted password for other.abcd2345 from 203.0.113.8 port 4242 ssh2'),
      line('x Accepted password for shop.abcd2345 from 203.0.113.8 port 4242 ssh2'),
      line(null),
      'no JSON\n',
    ].join(''),
  )

  const at = '2026-01-01T12:00:00.000Z'
  const [sftp, client] = [{ at, ended_at: null, kind: 'sftp' as const }, null]
  expect(await new Logins(host).list()).toEqual([
    { ...sftp, domain: shop.domain, address: '203.0.113.7', fingerprint: KEY, client },
    {
      ...{
        domain: shop.domain,
        at,
        ended_at: null,
        address: '2001:db8::7',
        fingerprint: KEY,
        client,
      },
      kind: 'shell',
    },
    { ...sftp, domain: shop.domain, address: '203.0.113.8', fingerprint: '', client: 'abcd2345' },
  ])
  const [asked = ''] = host.ran
  expect(asked).toEndWith(' _UID=0 _COMM=sshd _COMM=sshd-session')
})

test('has the end of a session from the process that accepted it', async () => {
  const host = await server(shop)
  host.disk.putText(DROP_IN, '')
  const at = (seconds: number) => AT + seconds * 1000
  host.answer(
    'journalctl',
    [
      line(closed, at(0), '10'),
      line(login, at(1), '10'),
      line(login, at(2), '11'),
      line(login, at(3), '12'),
      line(closed, at(4), '11'),
      line(`x ${closed}`, at(5), '10'),
      line(closed, at(6), '10'),
      // The number of a process that was cut off is another one's later.
      line(login, at(7), '12'),
      line(closed, at(8), '12'),
    ]
      .toReversed()
      .join(''),
  )

  const logins = await new Logins(host).list()

  const second = (time: string | null) => time && (Date.parse(time) - AT) / 1000
  expect(logins.map(({ at, ended_at }) => [second(at), second(ended_at)])).toEqual([
    // A line in another form says nothing.
    [1, 6],
    [2, 4],
    [3, null],
    [7, 8],
  ])
})

const login = `Accepted publickey for shop from 203.0.113.7 port 4242 ssh2: ED25519 ${KEY}`
const closed = 'pam_unix(sshd:session): session closed for user shop'

/** A server with a journal, whose lines a test changes. */
async function withJournal(...others: Site[]) {
  const host = await server(shop)
  for (const site of others) await writeSite(host, site)
  host.disk.putText(DROP_IN, '')
  const journal = { lines: [] as string[] }
  host.table.journalctl = () => printed(journal.lines.join(''))
  host.time = AT + 60_000
  return { host, journal, logins: new Logins(host) }
}

test('keeps what the journal has lost, also for the next process of the agent', async () => {
  const { host, journal, logins } = await withJournal()
  journal.lines = [line(login, AT, '10'), line(login, AT + 1000, '11')]
  const before = await logins.list()
  journal.lines = [line(closed, AT + 2000, '10')]

  const after = await logins.list()
  journal.lines = []
  const later = await new Logins(host).list()

  expect(before.map(({ ended_at }) => ended_at)).toEqual([null, null])
  expect(after.map(({ ended_at }) => ended_at)).toEqual(['2026-01-01T12:00:02.000Z', null])
  expect(later).toEqual(after)
  expect((await host.files.stat('/var/lib/hosting-agent/logins.json'))?.mode).toBe(0o600)
})

test('a disk without space hides no login, which is kept as soon as there is some', async () => {
  const { host, journal, logins } = await withJournal()
  journal.lines = [line(login)]
  const { write } = host.files
  host.files.write = () => Promise.reject(new Error('ENOSPC'))

  expect(await logins.list()).toHaveLength(1)
  await expect(logins.keep()).rejects.toThrow('ENOSPC')
  host.files.write = write
  await logins.keep()
  journal.lines = []

  expect(await new Logins(host).list()).toHaveLength(1)
})

test('reads only what is new, and again after the clock has gone back', async () => {
  const { host, logins } = await withJournal()

  await logins.list()
  await logins.list()
  host.set -= 3_600_000
  await logins.list()

  const since = host.ran.map((one) => /--since=(\S+)/.exec(one)?.[1])
  const at = (AT + 60_000) / 1000 - 600
  expect(since).toEqual(['-2days', `@${at.toFixed(3)}`, `@${(at - 3600).toFixed(3)}`])
})

test('is read each minute, and not twice', async () => {
  const { host, logins } = await withJournal()

  await logins.list()
  await logins.keep()
  host.time += 60_000
  await logins.keep()

  expect(host.ran).toHaveLength(2)
})

test('a site with many logins hides none of another one, and lasts two days', async () => {
  const other = { ...shop, user: 'other', domain: 'other.example' }
  const { host, journal, logins } = await withJournal(other)
  const many = Array.from({ length: 501 }, (_, at) => line(login, AT + 1 + at, `${at}`))
  journal.lines = [line(login.replace('shop', 'other')), ...many]

  const listed = await logins.list()
  journal.lines = []
  host.time += 2 * 86_400_000

  expect(listed.map(({ domain }) => domain)).toEqual([
    other.domain,
    ...Array.from({ length: 200 }, () => shop.domain),
  ])
  expect(Date.parse(listed.at(-1)?.at ?? '') - AT).toBe(501)
  expect(await logins.list()).toEqual([])
})

test('asks nothing on a server where nobody has ever had access', async () => {
  const host = await server(shop)

  expect([await new Logins(host).list(), host.ran]).toEqual([[], []])
})
