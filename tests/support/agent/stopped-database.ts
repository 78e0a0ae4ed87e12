import { DatabaseUnavailable } from '#agent/host/database-unavailable.ts'
import { CommandFailed } from '#agent/host/errors.ts'
import type { Output } from '#agent/host/ports.ts'
import { printed } from '#agent/host/simulated/programs/output.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { runs } from './debian.ts'

const PID_FILE = '/run/mysqld/mysqld.pid'
const START = 'systemctl start mariadb.service'
const CLIENTS = ['mariadb', 'mariadb-dump']
const REFUSED: Output = { ...printed(''), code: 1, stderr: "ERROR 2002: Can't connect" }

/** As after a power failure: MariaDB does not run, until systemd or somebody else starts it. */
export function stopDatabase(host: FakeHost): void {
  host.disk.drop(PID_FILE)
  const isStopped = () => host.disk.text(PID_FILE) === undefined
  const { run, try: attempt } = host.shell
  const { admin } = host.database
  const found = (argv: readonly string[]): Output | undefined => {
    if (argv.join(' ') === START) runs(host.disk, PID_FILE, 12, 'mariadbd')
    return isStopped() && argv.some((word) => CLIENTS.includes(word)) ? REFUSED : undefined
  }
  host.shell.try = async (argv, options) => found(argv) ?? attempt(argv, options)
  host.shell.run = async (argv, options) => {
    const refused = found(argv)
    if (refused) throw new CommandFailed(argv, refused)
    return run(argv, options)
  }
  host.database.admin = async (statement, values) => {
    if (isStopped()) throw new DatabaseUnavailable('stopped', 'ENOENT')
    return admin(statement, values)
  }
}
