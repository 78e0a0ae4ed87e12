import { done, failed, printed } from '#agent/host/simulated/programs/output.ts'
import type { Program } from '#agent/host/simulated/programs/programs.ts'
import { shadowHash } from '#agent/host/simulated/programs/users.ts'
import { CLIENT_GROUP } from '#agent/os/access/clients.ts'
import { GROUP } from '#agent/os/access/places.ts'
import { CLIENT_SETTINGS, SETTINGS, SHELL_SETTINGS } from '#agent/os/ssh/drop-in.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

export const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key'
/** Each group gets the next lower number. */
const FIRST_GROUP = 990

const printedAs = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `${name.toLowerCase()} ${value}\n`)
    .join('')

/** `sshd -T`: a member of a group of sites has the settings of the drop-in. */
export const sshd: Program<Machine> = (machine, argv) => {
  if (!argv.includes('-T')) return done()
  const user = /^user=([^,]*)/.exec(argv.at(-1) ?? '')?.[1] ?? ''
  const common = printedAs({ Port: 22, UsePAM: 'yes', HostKey: HOST_KEY })
  return printed(common + printedAs(settingsOf(machine, user)))
}

function settingsOf(machine: Machine, user: string): object {
  const passwd = machine.disk.text('/etc/passwd') ?? ''
  const gate = new RegExp(`^${RegExp.escape(user)}:[^:]*:\\d+:\\d+:Shell of `, 'm')
  if (gate.test(passwd)) return SHELL_SETTINGS
  if (isMember(machine, user, CLIENT_GROUP)) return CLIENT_SETTINGS
  return isMember(machine, user, GROUP) ? SETTINGS : {}
}

function isMember({ disk }: Machine, user: string, group: string): boolean {
  const members = new RegExp(`^${group}:x:\\d+:(.*)$`, 'm').exec(disk.text('/etc/group') ?? '')?.[1]
  return members?.split(',').includes(user) ?? false
}

export const groupadd: Program<Machine> = ({ disk }, argv) => {
  const group = argv.at(-1) ?? ''
  const text = disk.text('/etc/group') ?? ''
  if (new RegExp(`^${group}:`, 'm').test(text)) return done()
  const used = [...text.matchAll(/^[^:]+:x:(\d+):/gm)].map(([, id]) => Number(id))
  let id = FIRST_GROUP
  while (used.includes(id)) id -= 1
  disk.add('/etc/group', `${group}:x:${id}:\n`)
  return done()
}

/** `sftp -b -`: a client account with the password that the program for it prints. */
export const sftp: Program<Machine> = (machine, argv, { env = {} }) => {
  const { SSH_ASKPASS = '' } = env
  const login = argv.at(-1)?.split('@')[0] ?? ''
  const asked = machine.disk.text(SSH_ASKPASS) ?? ''
  const [, password = ''] = /^echo '(.*)'$/m.exec(asked) ?? []
  const shadow = machine.disk.text('/etc/shadow') ?? ''
  const [, hash] = new RegExp(`^${RegExp.escape(login)}:([^:]*):`, 'm').exec(shadow) ?? []
  const isLet = isMember(machine, login, CLIENT_GROUP) && hash === shadowHash(password)
  return isLet ? done() : failed(`${login}: Permission denied (password).`, 255)
}

/** Nobody has a shell with a password, nor a network. */
export const ssh: Program<Machine> = () => failed('This service allows sftp connections only.')
