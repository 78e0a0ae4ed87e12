import { UNFINISHED } from '#agent/features/isolation/attacks/visitors.ts'
import { FORWARD_SOCKETS } from '#agent/features/isolation/forwarded-sockets.ts'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import { file } from '#agent/kernel/host/simulated/nodes.ts'
import { done, failed, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { php as simulated } from '#agent/kernel/host/simulated/programs/php.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { freshKit } from '#scripts/demo/wordpress.ts'
import { eventsAt } from './jobs.ts'

const NO_DATABASE = 'Error: Error establishing a database connection.'
/** The creation of a site with such a name fails at its tables: to show a failed operation. */
const BROKEN = /^--url=http:\/\/broken[.-]/

/** Runs PHP, such as wp-cli for a site. */
export function php(machine: Machine, argv: readonly string[], options: RunOptions): Output {
  // As on a real server, sshd forwards to no socket.
  if (argv.includes(FORWARD_SOCKETS)) return printed('[]')
  // As nginx, which closes unfinished requests.
  if (argv.includes(UNFINISHED)) return printed('0')
  const line = argv.join(' ')
  const [, user = ''] = /--path=\/srv\/www\/([^/]+)\//.exec(line) ?? []
  if (argv[2] === '--') return simulated(machine, argv, options)
  const database = machine.databases.get(user)
  if (!database || database.broken) return failed(NO_DATABASE)
  if (line.includes(' core install ')) {
    if (argv.some((word) => BROKEN.test(word))) return failed(NO_DATABASE)
    database.kit = freshKit
    database.bytes = 6 * 2 ** 20
    machine.disk.put(`/srv/www/${user}/public/wp-content`, freshKit.content)
    const config = file(options.input ?? '', { mode: 0o600, owner: user })
    machine.disk.put(`/srv/www/${user}/public/wp-config.php`, config)
    return done()
  }
  if (options.input?.includes('_get_cron_array')) return printed(eventsAt(machine.time.now()))
  if (options.input?.includes('wp_set_password')) return printed('webmaster\n')
  return simulated(machine, argv, options)
}
