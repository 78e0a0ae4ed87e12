import { expect, test } from 'bun:test'
import { listLogins } from '#agent/os/access/logins.ts'
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
  expect(await listLogins(host)).toEqual([
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
  const login = `Accepted publickey for shop from 203.0.113.7 port 4242 ssh2: ED25519 ${KEY}`
  const closed = 'pam_unix(sshd:session): session closed for user shop'
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

  const logins = await listLogins(host)

  const second = (time: string | null) => time && (Date.parse(time) - AT) / 1000
  expect(logins.map(({ at, ended_at }) => [second(at), second(ended_at)])).toEqual([
    [1, null],
    [2, 4],
    [3, null],
    [7, 8],
  ])
})

test('has the last 500 of more', async () => {
  const host = await server(shop)
  host.disk.putText(DROP_IN, '')
  const login = `Accepted publickey for shop from 203.0.113.7 port 4242 ssh2: ED25519 ${KEY}`
  host.answer('journalctl', Array.from({ length: 501 }, (_, at) => line(login, AT + at)).join(''))

  const logins = await listLogins(host)

  expect([logins.length, Date.parse(logins[0]?.at ?? '') - AT]).toEqual([500, 1])
})

test('asks nothing on a server where nobody has ever had access', async () => {
  const host = await server(shop)

  expect([await listLogins(host), host.ran]).toEqual([[], []])
})
