import { ADMIN_STATEMENTS } from '#agent/kernel/host/admin-statements.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

/** Programs that write; those that only remove, query or signal still succeed. */
const WRITING = [
  'useradd',
  'userdel',
  'groupdel',
  'gpasswd',
  'usermod',
  'cp',
  'tar',
  'mariadb-dump',
  'mariadb',
]
const RESERVE = '/var/lib/hosting-agent/reserve/room'

export interface FullDisk {
  /** The number of writes. */
  writes: number
  full: boolean
}

/**
 * Every write from the n-th on fails, until the agent frees its reserve or waits: then an
 * administrator frees space. `from` 0 for a disk that is never full.
 */
export function fillAt(host: FakeHost, from: number): FullDisk {
  const disk: FullDisk = { writes: 0, full: false }
  const note = (action: string) => {
    if (action === `remove ${RESERVE}`) disk.full = false
    if (/^(remove|rename) /.test(action)) return
    disk.writes += 1
    if (disk.writes === from) disk.full = true
    if (disk.full) throw new Error(`ENOSPC: no space left on device, ${action}`)
  }
  const { run } = host.shell
  const { admin } = host.database
  const { sleep } = host.clock
  host.disk.guard = note
  host.shell.run = async (argv, options) => {
    try {
      if (WRITING.includes(argv[0] ?? '')) note(argv.join(' '))
    } catch {
      const stderr = `${argv[0]}: write error: No space left on device`
      throw new CommandFailed(argv, { code: 1, stdout: '', stderr })
    }
    return run(argv, options)
  }
  host.database.admin = async (statement, values) => {
    const sql = ADMIN_STATEMENTS[statement]
    if (/^(CREATE|GRANT|ALTER|DROP USER)/.test(sql)) note(sql)
    return admin(statement, values)
  }
  host.clock.sleep = async (ms) => {
    if (ms >= 5000) disk.full = false
    await sleep(ms)
  }
  return disk
}

/** The reserve of an agent that has been running for a while. */
export function withReserve(host: FakeHost): FakeHost {
  host.disk.putText(RESERVE, '')
  return host
}

/** The machine without the agent's files of operations. */
export function machineOf({ disk }: FakeHost): Record<string, string | null> {
  const own = /^\/proc\/|^\/var\/lib\/hosting-agent\/(operations|cache|reserve|(sites|trash)$)/
  const wants = ['multi-user', 'timers'].map((name) => `/etc/systemd/system/${name}.target.wants`)
  const kept = ['/etc/hosting/fpm', '/var/lib/hosting-agent', '/srv/www/.trash', ...wants]
  const rest = Object.entries(disk.all).filter(([path]) => !own.test(path) && !kept.includes(path))
  return Object.fromEntries(rest)
}
