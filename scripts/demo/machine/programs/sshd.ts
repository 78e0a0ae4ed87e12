import { createHash } from 'node:crypto'
import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import { keysOf, SFTP_GROUP } from '#agent/features/access/paths.ts'
import {
  CLIENT_SETTINGS,
  SFTP_SETTINGS,
  SHELL_SETTINGS,
} from '#agent/features/access/ssh/drop-in.ts'
import { SHELL_SCRIPT } from '#agent/features/isolation/entry-scripts.ts'
import type { RunOptions } from '#agent/kernel/host/ports.ts'
import { done, failed, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { SimulatedProgram } from '#agent/kernel/host/simulated/programs/programs.ts'
import { shadowHash } from '#agent/kernel/host/simulated/programs/users.ts'
import { canaryShell } from '#scripts/demo/machine/canary.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

export const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key'
/** Each group gets the next lower number. */
const FIRST_GROUP = 990

const printedAs = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `${name.toLowerCase()} ${value}\n`)
    .join('')

/** Prints settings as `sshd -T`: a member of a group of sites has those of the drop-in. */
export const sshd: SimulatedProgram<Machine> = (machine, argv) => {
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
  return isMember(machine, user, SFTP_GROUP) ? SFTP_SETTINGS : {}
}

function isMember({ disk }: Machine, user: string, group: string): boolean {
  const members = new RegExp(`^${group}:x:\\d+:(.*)$`, 'm').exec(disk.text('/etc/group') ?? '')?.[1]
  return members?.split(',').includes(user) ?? false
}

export const groupadd: SimulatedProgram<Machine> = ({ disk }, argv) => {
  const group = argv.at(-1) ?? ''
  const text = disk.text('/etc/group') ?? ''
  if (new RegExp(`^${group}:`, 'm').test(text)) return done()
  const used = [...text.matchAll(/^[^:]+:x:(\d+):/gm)].map(([, id]) => Number(id))
  let id = FIRST_GROUP
  while (used.includes(id)) id -= 1
  disk.add('/etc/group', `${group}:x:${id}:\n`)
  return done()
}

/** Makes a key whose text no other one has. */
export const sshKeygen: SimulatedProgram<Machine> = ({ disk }, argv) => {
  const path = argv.at(-1) ?? ''
  disk.putText(path, 'a private key\n')
  disk.putText(
    `${path}.pub`,
    `ssh-ed25519 ${createHash('sha256').update(path).digest('base64')} \n`,
  )
  return done()
}

/** Runs `sftp -b -`: admits a person with a key, or a client account with a password. */
export const sftp: SimulatedProgram<Machine> = (machine, argv, options) => {
  const login = loginOf(argv)
  const isLet = hasKey(machine, login, argv) || hasPassword(machine, login, options)
  return isLet ? done() : failed(`${login}: Permission denied.`, 255)
}

/** Runs the isolation check in a shell of the attacker; nobody else has one, nor a network. */
export const ssh: SimulatedProgram<Machine> = (machine, argv) => {
  const login = argv.find((word) => word.endsWith('@127.0.0.1')) ?? ''
  const account = loginOf([login])
  const isCheck = argv.at(-1) === SHELL_SCRIPT && hasKey(machine, account, argv)
  if (!isCheck) return failed('This service allows sftp connections only.')
  canaryShell(machine, account.replace(/\.ssh$/, ''))
  return done()
}

const loginOf = (argv: readonly string[]) => argv.at(-1)?.split('@')[0] ?? ''

function hasKey({ disk }: Machine, login: string, argv: readonly string[]): boolean {
  const file = argv.find((word) => word.startsWith('IdentityFile='))?.slice('IdentityFile='.length)
  const [, key] = (disk.text(`${file}.pub`) ?? '').split(' ')
  return key !== undefined && (disk.text(keysOf(login)) ?? '').includes(key)
}

/** Returns whether the account has the password that the program for it prints. */
function hasPassword(machine: Machine, login: string, { env = {} }: RunOptions): boolean {
  const asked = machine.disk.text(env.SSH_ASKPASS ?? '') ?? ''
  const [, password = ''] = /^echo '(.*)'$/m.exec(asked) ?? []
  const shadow = machine.disk.text('/etc/shadow') ?? ''
  const [, hash] = new RegExp(`^${RegExp.escape(login)}:([^:]*):`, 'm').exec(shadow) ?? []
  return isMember(machine, login, CLIENT_GROUP) && hash === shadowHash(password)
}
