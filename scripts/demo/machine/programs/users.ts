import type { Output } from '#agent/host/ports.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { done, failed, lastOf } from './output.ts'

const FIRST_ID = 1001

export function useradd(machine: Machine, argv: readonly string[]): Output {
  const user = lastOf(argv)
  const comment = argv[argv.indexOf('--comment') + 1] ?? ''
  const passwd = machine.disk.text('/etc/passwd') ?? ''
  if (passwd.includes(`\n${user}:`)) return failed(`useradd: user '${user}' already exists`, 9)
  addUser(machine, user, comment)
  return done()
}

export function userdel(machine: Machine, argv: readonly string[]): Output {
  for (const path of ['/etc/passwd', '/etc/group']) forget(machine, path, lastOf(argv))
  return done()
}

export function groupdel(machine: Machine, argv: readonly string[]): Output {
  forget(machine, '/etc/group', lastOf(argv))
  return done()
}

/** `gpasswd --add <user> <group>` */
export function gpasswd({ disk }: Machine, argv: readonly string[]): Output {
  const [user = '', group = ''] = argv.slice(-2)
  const groups = disk.text('/etc/group') ?? ''
  disk.putText('/etc/group', groups.replace(new RegExp(`^(${group}:x:\\d+:)$`, 'm'), `$1${user}`))
  return done()
}

/** A user with a group of the same name. */
export function addUser({ disk }: Machine, user: string, comment: string, member = ''): void {
  const passwd = disk.text('/etc/passwd') ?? ''
  const id = FIRST_ID + passwd.split('\n').length
  disk.putText('/etc/passwd', `${passwd}${user}:x:${id}:${id}:${comment}:/srv/www/${user}:\n`)
  disk.putText('/etc/group', `${disk.text('/etc/group') ?? ''}${user}:x:${id}:${member}\n`)
}

function forget({ disk }: Machine, path: string, name: string): void {
  const lines = (disk.text(path) ?? '').split('\n')
  disk.putText(path, lines.filter((line) => !line.startsWith(`${name}:`)).join('\n'))
}
