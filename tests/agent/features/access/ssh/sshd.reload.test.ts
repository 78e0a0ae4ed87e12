import { expect, test } from 'bun:test'
import { reload } from '#agent/features/access/ssh/sshd.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n'
const row = (port: number, inode: number, state = '0A') => {
  const local = `00000000:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 0 0 ${inode} 1\n`
}

/** A server whose sshd listens at the port 2222; `tables` are those of the following looks. */
function listening(...tables: string[]): FakeHost {
  const host = new FakeHost()
  host.answer('/usr/sbin/sshd -T', 'port 2222\n')
  host.disk.putText('/proc/net/tcp', HEAD + row(80, 1) + row(2222, 2))
  const { sleep } = host.clock
  const look = () => host.disk.putText('/proc/net/tcp', HEAD + (tables.shift() ?? row(80, 1)))
  host.table.systemctl = (_, argv) => {
    if (argv[1] === 'reload') look()
    return { code: 0, stdout: '', stderr: '' }
  }
  Object.assign(host.clock, {
    sleep: async (ms: number) => {
      await sleep(ms)
      look()
    },
  })
  return host
}

test('returns when sshd has opened its sockets again', async () => {
  const closed = row(80, 1) + row(2222, 3, '01')
  const tables = [row(80, 1) + row(2222, 2), closed, closed, row(80, 1) + row(2222, 4)]
  const host = listening(...tables)
  const started = host.time

  await reload(host)

  expect(host.ran.filter((line) => line.includes('ssh.service'))).toEqual([
    'systemctl is-active --quiet ssh.service',
    'systemctl reload ssh.service',
  ])
  expect(host.time - started).toBe(30)
})

test('does not wait long for sockets that systemd keeps', async () => {
  const host = listening(...Array.from({ length: 200 }, () => row(2222, 2)))
  const started = host.time

  await reload(host)

  expect(host.time - started).toBe(1000)
})

test('waits for nothing where sshd does not listen', async () => {
  const host = listening()
  host.disk.putText('/proc/net/tcp', HEAD + row(80, 1))
  const started = host.time

  await reload(host)

  expect(host.time - started).toBe(0)
})
