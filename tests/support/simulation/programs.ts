import { ADMIN_STATEMENTS, type AdminStatement } from '#agent/host/admin-statements.ts'
import type { Output, RunOptions } from '#agent/host/ports.ts'
import type { Machine } from './machine.ts'

type Program = (machine: Machine, argv: readonly string[], options: RunOptions) => Output

const DONE: Output = { code: 0, stdout: '', stderr: '' }
const failed = (stderr: string, code = 1): Output => ({ code, stdout: '', stderr })
const lastOf = (argv: readonly string[]) => argv.at(-1) ?? ''
const ACCOUNTS = ['/etc/passwd', '/etc/group']

/** What the programs that the agent starts do to a machine; those that are not named do nothing. */
const PROGRAMS: Record<string, Program> = {
  useradd({ disk }, argv) {
    const user = lastOf(argv)
    const comment = argv[argv.indexOf('--comment') + 1]
    const lines = [`${user}:x:1001:1001:${comment}:/srv/www/${user}:\n`, `${user}:x:1001:\n`]
    if (textOf({ disk }, '/etc/passwd').includes(`\n${user}:`)) return failed('exists', 9)
    ACCOUNTS.forEach((path, at) => {
      void disk.append(path, lines[at] ?? '', { sync: true })
    })
    return DONE
  },
  userdel(machine, argv) {
    for (const path of ACCOUNTS) withoutLine(machine, path, lastOf(argv))
    machine.closed.delete(lastOf(argv))
    return DONE
  },
  groupdel(machine, argv) {
    withoutLine(machine, '/etc/group', lastOf(argv))
    return DONE
  },
  gpasswd({ disk }, argv) {
    const [user = '', group = ''] = argv.slice(-2)
    const member = new RegExp(`^(${group}:x:\\d+:)$`, 'm')
    const groups = textOf({ disk }, '/etc/group').replace(member, `$1${user}`)
    void disk.write('/etc/group', groups)
    disk.settle('/etc/group')
    return DONE
  },
  rm({ disk }, argv) {
    void disk.remove(lastOf(argv))
    return DONE
  },
  cp: copy,
  sync({ disk }, argv) {
    if (argv.includes('--file-system')) disk.settle()
    else disk.settle(lastOf(argv))
    return DONE
  },
  usermod({ closed }, argv) {
    if (argv[2] === '') closed.delete(lastOf(argv))
    else closed.add(lastOf(argv))
    return DONE
  },
  du: () => ({ ...DONE, stdout: '8192\ttotal\n' }),
  xargs({ disk, databases }, argv, { output_file = '' }) {
    const name = lastOf(argv)
    void disk.append(output_file, `${name} ${databases.get(name)} \n-- Dump completed\n`)
    return DONE
  },
  tail: ({ disk }, argv) => ({ ...DONE, stdout: disk.nodes.get(lastOf(argv))?.text ?? '' }),
  mariadb({ disk, databases }, _argv, { input_file }) {
    if (input_file === undefined) return { ...DONE, stdout: '77705f6f7074696f6e73\n' }
    const [name = '', filled] = (disk.nodes.get(input_file)?.text ?? '').split(' ')
    databases.set(name, filled === 'true')
    return DONE
  },
  nginx(machine, argv) {
    if (argv.includes('-v')) return { ...DONE, stderr: 'nginx version: nginx/1.22.1' }
    if (!argv.includes('-T')) return DONE
    const included = [...machine.served.keys()].map((path) => `include ${path};`)
    const files = [['/etc/nginx/nginx.conf', included.join('\n')], ...machine.served].map(
      ([path, text]) => `# configuration file ${path}:\n${text}`,
    )
    return { ...DONE, stdout: files.join('\n') }
  },
  systemctl(machine, argv) {
    const [, verb] = argv
    const unit = lastOf(argv)
    if (!unit.startsWith('hosting-fpm@')) return DONE
    if (verb === 'stop') machine.stopPool(unit)
    const starts = verb === 'start' || verb === 'restart'
    return !starts || machine.startPool(unit) ? DONE : failed(`Unit ${unit} not found.`, 5)
  },
  'start-stop-daemon'(machine, argv) {
    if (argv.includes('HUP') && argv.includes('/run/nginx.pid')) machine.readNginx()
    return DONE
  },
}

/** Runs a program to its end, all at once. */
export function perform(
  machine: Machine,
  argv: readonly string[],
  options: RunOptions = {},
): Output {
  const [path = ''] = argv
  const line = argv.join(' ')
  if (machine.unlucky(line)) return failed('bad luck')
  if (argv[1] !== 'show') machine.seen(line)
  if (path.startsWith('/usr/bin/php')) return wpCli(machine, line)
  return PROGRAMS[path]?.(machine, argv, options) ?? DONE
}

/** MariaDB: what it answers is on its disk. */
export function administer(machine: Machine, name: AdminStatement, values: readonly unknown[]) {
  const sql = ADMIN_STATEMENTS[name]
  const looks = /^(SELECT|SHOW|SET|KILL)/.test(sql)
  if (!looks && machine.unlucky(sql)) throw new Error('MariaDB: bad luck')
  if (!looks) machine.seen(`${sql.slice(0, 40)} ${values[0]}`)
  return machine.mariadb.admin(name, values)
}

/** A whole tree, or one file; the target's folder has to be there. */
function copy({ disk }: Machine, argv: readonly string[]): Output {
  const [from = '', to = ''] = argv.slice(-2)
  const folder = to.replace(/\/[^/]*$/, '')
  if (!disk.nodes.has(folder)) return failed(`cannot create regular file '${to}'`)
  if (!from.endsWith('/.')) {
    const text = disk.nodes.get(from)?.text
    if (text === undefined) return failed(`cannot stat '${from}'`)
    void disk.append(to, text)
    return DONE
  }
  const source = from.slice(0, -1)
  for (const [path, { text }] of [...disk.nodes])
    if (path.startsWith(source)) void disk.append(folder + path.slice(source.length - 1), text)
  return DONE
}

function wpCli({ databases }: Machine, line: string): Output {
  const [, user = ''] = /--path=\/srv\/www\/([^/]+)\//.exec(line) ?? []
  if (!databases.has(user)) return failed('Error establishing a database connection.')
  if (line.includes(' core install ')) databases.set(user, true)
  return DONE
}

function textOf({ disk }: Pick<Machine, 'disk'>, path: string): string {
  return disk.nodes.get(path)?.text ?? ''
}

function withoutLine(machine: Machine, path: string, name: string): void {
  const lines = textOf(machine, path).split('\n')
  const rest = lines.filter((line) => !line.startsWith(`${name}:`)).join('\n')
  void machine.disk.write(path, rest)
}
