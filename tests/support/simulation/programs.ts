import { ADMIN_STATEMENTS, type AdminStatement } from '#agent/host/admin-statements.ts'
import type { Output, RunOptions } from '#agent/host/ports.ts'
import { moveEach } from '#agent/host/simulated/programs/files.ts'
import { done, failed, lastOf, printed } from '#agent/host/simulated/programs/output.ts'
import { PROGRAMS, type Program, programOf } from '#agent/host/simulated/programs/programs.ts'
import type { Machine } from './machine.ts'

const NGINX_CONF = 'include /etc/nginx/conf.d/*.conf;\ninclude /etc/nginx/sites-enabled/*;'

/** The effects of the agent's programs on a machine; programs not listed do nothing. */
const TABLE: Record<string, Program<Machine>> = {
  ...PROGRAMS,
  du: () => printed('8192\ttotal\n'),
  xargs({ disk, databases }, argv, options) {
    if (argv.includes('mv')) return moveEach({ disk }, argv, options)
    const { output_file = '' } = options
    const name = lastOf(argv)
    disk.add(output_file, `${name} ${databases.get(name)} \n-- Dump completed\n`)
    return done()
  },
  mariadb({ disk, databases }, _argv, { input_file }) {
    if (input_file === undefined) return printed('77705f6f7074696f6e73\nend\n')
    const [name = '', filled] = (disk.text(input_file) ?? '').split(' ')
    databases.set(name, filled === 'true')
    return done()
  },
  nginx(machine, argv) {
    if (argv.includes('-v')) return failed('nginx version: nginx/1.22.1', 0)
    if (!argv.includes('-T')) return done()
    const files = [['/etc/nginx/nginx.conf', NGINX_CONF], ...machine.served].map(
      ([path, text]) => `# configuration file ${path}:\n${text}`,
    )
    return printed(files.join('\n'))
  },
  php({ databases }, argv) {
    const line = argv.join(' ')
    const [, user = ''] = /--path=\/srv\/www\/([^/]+)\//.exec(line) ?? []
    if (!databases.has(user)) return failed('Error establishing a database connection.')
    if (line.includes(' core install ')) databases.set(user, true)
    return done()
  },
  'start-stop-daemon'(machine, argv) {
    if (argv.includes('HUP') && argv.includes('/run/nginx.pid')) machine.readNginx()
    return done()
  },
}

/** Runs a program to its end, in one step. */
export function perform(
  machine: Machine,
  argv: readonly string[],
  options: RunOptions = {},
): Output {
  const line = argv.join(' ')
  if (machine.unlucky(line)) return failed('bad luck')
  if (argv[1] !== 'show') machine.seen(line)
  return TABLE[programOf(argv)]?.(machine, argv, options) ?? done()
}

/** MariaDB: its confirmed data is on disk. */
export function administer(machine: Machine, name: AdminStatement, values: readonly unknown[]) {
  const sql = ADMIN_STATEMENTS[name]
  const looks = /^(SELECT|SHOW|SET|KILL)/.test(sql)
  if (!looks && machine.unlucky(sql)) throw new Error('MariaDB: bad luck')
  if (!looks) machine.seen(`${sql.slice(0, 40)} ${values[0]}`)
  return machine.mariadb.admin(name, values)
}
