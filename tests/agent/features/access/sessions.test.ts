import { expect, test } from 'bun:test'
import { endLogins, endSession, endSessions } from '#agent/features/access/sessions.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const KILL = 'start-stop-daemon --stop --oknodo --quiet --retry=KILL/1/KILL/1/KILL/5'

function runs(host: FakeHost, pid: number, title: string, { uid = 0, nested = false } = {}) {
  host.disk.putText(`/proc/${pid}/cmdline`, `${title}\0\0`)
  const pids = nested ? `${pid}\t7` : `${pid}`
  const ids = [uid, uid, uid, uid].join('\t')
  host.disk.putText(`/proc/${pid}/status`, `Uid:\t${ids}\nNSpid:\t${pids}\n`)
}

test('ends logins that sshd is checking, then sessions, and nothing of others', async () => {
  const host = await server(shop)
  runs(host, 10, 'sshd: shop [priv]')
  runs(host, 11, 'sshd-session: shop.ssh [priv]')
  runs(host, 12, 'sshd: shopping [priv]')
  runs(host, 13, 'sshd: root [priv]')
  runs(host, 14, 'sshd: shop [net]', { uid: 105 })
  runs(host, 15, 'sshd: shop [priv]', { uid: 1007 })
  runs(host, 16, 'sshd: shop [priv]', { nested: true })
  runs(host, 17, 'sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups')

  await endSessions(host, 'shop')

  expect(host.ran).toEqual([
    `${KILL} --pid 10 --user root --name sshd`,
    `${KILL} --pid 11 --user root --name sshd-session`,
    `${KILL} --user shop --name sshd`,
    `${KILL} --user shop --name sshd-session`,
  ])
})

test('ends one session with its processes, and no other one', async () => {
  const host = await server(shop)
  host.disk.putText('/proc/10/task/10/children', '11 12 ')

  await endSession(host, { pid: 10, name: 'sshd-session', login: 'shop.ssh' })

  const term = KILL.replace('KILL/1/KILL/1/KILL/5', 'TERM/5/KILL/5')
  expect(host.ran).toEqual([
    `${term} --pid 10 --user root --name sshd-session`,
    `${KILL} --pid 11 --user shop.ssh --name sshd-session`,
    `${KILL} --pid 12 --user shop.ssh --name sshd-session`,
  ])
})

test('ends logins of client accounts, also of one that was removed', async () => {
  const host = await server(shop)
  runs(host, 20, 'sshd: shop.abcd2345 [priv]')
  runs(host, 21, 'sshd-session: shop.efgh2345 [priv]')
  runs(host, 22, 'sshd: victim.abcd2345 [priv]')
  runs(host, 23, 'sshd: shop.x.abcd2345 [priv]')

  await endLogins(host, 'shop')

  expect(host.ran).toEqual([
    `${KILL} --pid 20 --user root --name sshd`,
    `${KILL} --pid 21 --user root --name sshd-session`,
  ])
})
