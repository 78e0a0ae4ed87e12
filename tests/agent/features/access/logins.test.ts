import { expect, test } from 'bun:test'
import { loginOf } from '#agent/features/access/clients.ts'
import { Logins } from '#agent/features/access/logins.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { removeSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { ANNA_FINGERPRINT as KEY } from '#tests/support/ssh-keys.ts'

const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const HOUR = 3_600_000
const AT = Date.UTC(2026, 0, 1, 12)

interface Line {
  text: unknown
  ms: number
  pid: string
}

const line = (text: unknown, ms = AT, pid = '7'): Line => ({ text, ms, pid })
const accepted = (user: string, from = '203.0.113.7', key = KEY) =>
  line(`Accepted publickey for ${user} from ${from} port 4242 ssh2: ED25519 ${key}`)
const login = `Accepted publickey for shop from 203.0.113.7 port 4242 ssh2: ED25519 ${KEY}`
const closed = 'pam_unix(sshd:session): session closed for user shop'

/** The journal of a server, from which journalctl prints what follows a cursor. */
class Journal {
  readonly #lines: string[] = []
  /** The lines that journald has dropped. */
  dropped = 0

  add(...lines: Line[]): void {
    for (const { text: MESSAGE, ms, pid: _PID } of lines) {
      const __CURSOR = `s=7;i=${this.#lines.length}`
      const __REALTIME_TIMESTAMP = `${ms}000`
      this.#lines.push(`${JSON.stringify({ __CURSOR, __REALTIME_TIMESTAMP, MESSAGE, _PID })}\n`)
    }
  }

  print(argv: readonly string[]): string {
    const after = argv.flatMap((word) => /^--after-cursor=s=7;i=(\d+)$/.exec(word)?.[1] ?? [])
    const first = after.length > 0 ? Number(after[0]) + 1 : 0
    if (argv.some((word) => word.startsWith('--until='))) return this.dropped > 0 ? '' : '{}\n'
    return this.#lines.slice(Math.max(first, this.dropped)).join('')
  }
}

/** A server with a journal, to which a test adds lines. */
async function withJournal(...others: Site[]) {
  const host = await server(shop)
  for (const site of others) await writeSite(host, site)
  host.disk.putText(DROP_IN, '')
  const journal = new Journal()
  host.table.journalctl = (_, argv) => printed(journal.print(argv))
  host.time = AT + 60_000
  return { host, journal, logins: new Logins(host) }
}

const restarted = (host: FakeHost) => new Logins(host)

test('lists the logins to sites, with their keys, and no others', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(
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
    line([80, 255]),
  )

  const facts = { domain: shop.domain, at: '2026-01-01T12:00:00.000Z', ended_at: null }
  const sftp = { ...facts, kind: 'sftp' as const }
  const answer = await logins.list()
  expect(answer.logins).toEqual([
    { ...sftp, address: '203.0.113.7', fingerprint: KEY, client: null, seq: 1 },
    {
      ...facts,
      kind: 'shell',
      address: '2001:db8::7',
      fingerprint: KEY,
      client: null,
      seq: 2,
    },
    { ...sftp, address: '203.0.113.8', fingerprint: '', client: 'abcd2345', seq: 3 },
  ])
  expect(answer.refusals).toEqual([])
  const [asked = ''] = host.ran
  expect(asked).toEndWith(' _UID=0 _COMM=sshd _COMM=sshd-session')
})

test('has the end of a session from the process that accepted it', async () => {
  const { journal, logins } = await withJournal()
  const at = (seconds: number) => AT + seconds * 1000
  journal.add(
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
  )

  const { logins: listed } = await logins.list()

  const second = (time: string | null) => time && (Date.parse(time) - AT) / 1000
  expect(listed.map(({ at, ended_at }) => [second(at), second(ended_at)])).toEqual([
    // A line in another form says nothing.
    [1, 6],
    [2, 4],
    [3, null],
    [7, 8],
  ])
})

test('keeps what the journal has lost, also for the next process of the agent', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(line(login, AT, '10'), line(login, AT + 1000, '11'))
  const before = await logins.list()
  journal.add(line(closed, AT + 2000, '10'))

  const after = await logins.list()
  const later = await restarted(host).list()

  expect(before.logins.map(({ ended_at }) => ended_at)).toEqual([null, null])
  expect(after.logins.map(({ ended_at }) => ended_at)).toEqual(['2026-01-01T12:00:02.000Z', null])
  expect(later).toEqual(after)
  expect((await host.files.stat('/var/lib/hosting-agent/logins.json'))?.mode).toBe(0o600)
})

test('counts refused attempts by hour and address, and reports an hour when it is over', async () => {
  const { host, journal, logins } = await withJournal()
  const refused = (address: string, ms = AT, user = 'shop') =>
    line(`Connection closed by authenticating user ${user} ${address} port 22 [preauth]`, ms)
  const many = Array.from({ length: 30 }, (_, last) => refused(`198.51.100.${last}`))
  journal.add(
    refused('203.0.113.7'),
    ...many,
    refused('203.0.113.7'),
    refused('203.0.113.7', AT, 'root'),
  )
  journal.add(line('fatal: Access denied for user shop by PAM account configuration [preauth]'))
  journal.add(refused('203.0.113.7', AT + HOUR))
  host.time = AT + HOUR
  const during = await logins.list()
  host.time = AT + HOUR + 60_000

  const { refusals, list } = await logins.list()
  const later = await restarted(host).list()

  expect([during.refusals, during.list?.newest]).toEqual([[], 0])
  const at = '2026-01-01T12:00:00.000Z'
  const of = (address: string | null, attempts: number, seq: number) => ({
    ...{ domain: shop.domain, at, address, attempts, seq },
  })
  expect(refusals).toEqual([
    of('203.0.113.7', 2, 1),
    ...Array.from({ length: 9 }, (_, last) => of(`198.51.100.${last}`, 1, last + 2)),
    of(null, 22, 11),
  ])
  expect(list?.newest).toBe(11)
  expect(later).toEqual({ logins: [], refusals, list })
})

test('lists the sessions whose process still waits for their end', async () => {
  const { host, journal, logins } = await withJournal()
  const runs = (pid: number, title: string) => {
    host.disk.putText(`/proc/${pid}/cmdline`, `${title}\0`)
    host.disk.putText(`/proc/${pid}/status`, `Uid:\t0\t0\t0\t0\nNSpid:\t${pid}\n`)
  }
  const shell = login.replace('for shop', 'for shop.ssh')
  const client = 'Accepted password for shop.abcd2345 from 2001:db8::7 port 4242 ssh2'
  journal.add(
    line(login, AT, '10'),
    line(login, AT + 1, '11'),
    line(closed, AT + 2, '11'),
    line(login, AT + 3, '12'),
    line(shell, AT + 4, '13'),
    line(client, AT + 5, '14'),
    line(login, AT + 6, '15'),
  )
  runs(10, 'sshd: shop [priv]')
  runs(11, 'sshd: shop [priv]')
  // The number of a process that was cut off is another one's now.
  runs(12, 'sshd: root [priv]')
  runs(13, 'sshd-session: shop.ssh [priv]')
  runs(14, 'sshd-session: shop.abcd2345 [priv]')

  const open = await logins.listOpen('shop')

  const of = (pid: number, ms: number, values: object) => ({
    ...{ id: `${pid}-${(AT + ms) * 1000}`, at: new Date(AT + ms).toISOString() },
    ...{ address: '203.0.113.7', fingerprint: KEY, client: null, kind: 'sftp', ...values },
  })
  expect(open.map(({ session }) => session)).toEqual([
    of(10, 0, {}),
    of(13, 4, { kind: 'shell' }),
    of(14, 5, { address: '2001:db8::7', fingerprint: '', client: 'abcd2345' }),
  ] as never)
  expect(open.map(({ process }) => process.login)).toEqual(['shop', 'shop.ssh', 'shop.abcd2345'])
  expect(await logins.listOpen('other')).toEqual([])
})

test('parallel logins of one key in a millisecond have times of their own', async () => {
  const { journal, logins } = await withJournal()
  journal.add(line(login, AT, '10'), line(login, AT, '11'), line(closed, AT + 5, '11'))

  const { logins: listed } = await logins.list()

  expect(listed.map(({ at, ended_at, seq }) => [at, ended_at, seq])).toEqual([
    ['2026-01-01T12:00:00.000Z', null, 1],
    ['2026-01-01T12:00:00.001Z', '2026-01-01T12:00:00.005Z', 2],
  ])
})

test('a number without an entry reports what the journal dropped while the agent was off', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(line(login, AT, '10'))
  const before = await logins.list()
  journal.add(line(login, AT + 1000, '11'))

  const whole = await restarted(host).list()
  journal.dropped = 2
  const broken = await restarted(host).list()

  const { id } = before.list ?? {}
  expect([before, whole, broken].map(({ list }) => list)).toEqual([
    { id: String(id), newest: 1 },
    { id: String(id), newest: 2 },
    { id: String(id), newest: 3 },
  ])
})

test('the logins of a site that was deleted since have its domain', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(line(login))
  await logins.list()
  await removeSite(host, shop.domain, 'sites').apply()

  expect((await logins.list()).logins.map(({ domain }) => domain)).toEqual([shop.domain])
})

test('a disk without space hides no login, which is kept as soon as there is some', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(line(login))
  const { write } = host.files
  host.files.write = () => Promise.reject(new Error('ENOSPC'))

  expect((await logins.list()).logins).toHaveLength(1)
  await expect(logins.keep()).rejects.toThrow('ENOSPC')
  host.files.write = write
  await logins.keep()

  expect((await restarted(host).list()).logins).toHaveLength(1)
})

test('takes over what an earlier version of the agent has kept', async () => {
  const { host, journal } = await withJournal()
  const entry = { site: 'shop', micros: AT * 1000, pid: '10', text: login }
  host.disk.putText('/var/lib/hosting-agent/logins.json', `${JSON.stringify([entry])}\n`)
  journal.add(line(login, AT, '10'), line(closed, AT + 2000, '10'))

  const { logins } = await restarted(host).list()

  expect(logins.map(({ at, ended_at, seq }) => [at, ended_at, seq])).toEqual([
    ['2026-01-01T12:00:00.000Z', '2026-01-01T12:00:02.000Z', 1],
  ])
})

test('reads each message once, whatever the clock says', async () => {
  const { host, journal, logins } = await withJournal()
  journal.add(line(login))

  await logins.list()
  await logins.list()
  host.set -= HOUR
  await logins.list()

  const where = host.ran.map((one) => /--(?:since|after-cursor)=(\S+)/.exec(one)?.[1])
  expect(where).toEqual(['-2days', 's=7;i=0', 's=7;i=0'])
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
  journal.add(line(login.replace('shop', 'other')), ...many)

  const { logins: listed } = await logins.list()
  host.time += 2 * 24 * HOUR

  expect(listed.map(({ domain }) => domain)).toEqual([
    other.domain,
    ...Array.from({ length: 200 }, () => shop.domain),
  ])
  expect(Date.parse(listed.at(-1)?.at ?? '') - AT).toBe(501)
  const { list, ...later } = await logins.list()
  // The numbers say that there were more.
  expect([later, list?.newest]).toEqual([{ logins: [], refusals: [] }, 502])
})

test('asks nothing on a server where nobody has ever had access', async () => {
  const host = await server(shop)

  expect([await new Logins(host).list(), host.ran]).toEqual([
    { logins: [], refusals: [], list: null },
    [],
  ])
})

test('a clock that was ahead keeps no refused attempt from its hour', async () => {
  const { host, journal, logins } = await withJournal()
  const text = 'Connection closed by authenticating user shop 203.0.113.7 port 22 [preauth]'
  host.set = 1000 * HOUR
  journal.add(line(text, AT + 1000 * HOUR))
  await logins.list()
  host.set = 0
  journal.add(line(text, AT))
  await logins.list()
  host.time = AT + HOUR + 60_000

  const { refusals } = await logins.list()

  expect(refusals.map(({ at, attempts, seq }) => [at, attempts, seq])).toEqual([
    [new Date(AT + 1000 * HOUR).toISOString(), 1, 1],
    ['2026-01-01T12:00:00.000Z', 1, 2],
  ])
})

test('knows a client account whose name is cut, also after it was removed', async () => {
  const long = { ...shop, user: 'averylongusernamewith24c', domain: 'long.example' }
  const { journal, logins } = await withJournal(long)
  const account = loginOf(long.user, 'abcd2345')
  journal.add(line(`Accepted password for ${account} from 203.0.113.8 port 4242 ssh2`))

  const { logins: listed } = await logins.list()

  expect(account).toHaveLength(32)
  expect(listed.map(({ domain, client }) => [domain, client])).toEqual([
    ['long.example', 'abcd2345'],
  ])
})
