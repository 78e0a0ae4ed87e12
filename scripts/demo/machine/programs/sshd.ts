import { done, printed } from '#agent/host/simulated/programs/output.ts'
import type { Program } from '#agent/host/simulated/programs/programs.ts'
import { SETTINGS, SHELL_SETTINGS } from '#agent/os/ssh/drop-in.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

export const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key'

const printedAs = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `${name.toLowerCase()} ${value}\n`)
    .join('')

/** `sshd -T`: a member of the group of sites has the settings of the drop-in. */
export const sshd: Program<Machine> = ({ disk }, argv) => {
  if (!argv.includes('-T')) return done()
  const user = /^user=([^,]*)/.exec(argv.at(-1) ?? '')?.[1] ?? ''
  const isGate = new RegExp(`^${user.replaceAll('.', '\\.')}:[^:]*:\\d+:\\d+:Shell of `, 'm').test(
    disk.text('/etc/passwd') ?? '',
  )
  const members = /^hosting-sftp:x:\d+:(.*)$/m.exec(disk.text('/etc/group') ?? '')?.[1]
  const isSite = members?.split(',').includes(user) ?? false
  const common = printedAs({ Port: 22, UsePAM: 'yes', HostKey: HOST_KEY })
  if (isGate) return printed(common + printedAs(SHELL_SETTINGS))
  return printed(common + (isSite ? printedAs(SETTINGS) : ''))
}

export const groupadd: Program<Machine> = ({ disk }, argv) => {
  disk.add('/etc/group', `${argv.at(-1)}:x:990:\n`)
  return done()
}
