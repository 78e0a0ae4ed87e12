import type { Output } from '#agent/host/ports.ts'
import { printed } from '#agent/host/simulated/programs/output.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import type { PendingPackage } from '#shared/maintenance.ts'

/** Simulated and real upgrades; missing packages come with the machine. */
export function aptGet(machine: Machine, argv: readonly string[]): Output {
  const upgrades = upgradesIn(machine, argv)
  if (argv.includes('--simulate')) return printed(upgrades.map(installing).join('\n'))
  machine.pending = machine.pending.filter((one) => !upgrades.includes(one))
  return printed(
    upgrades.map(({ name, candidate }) => `Setting up ${name} (${candidate}) ...`).join('\n'),
  )
}

/** From the files of apt on the machine: the last of them has priority. */
export function aptConfig({ disk }: Machine): Output {
  const text = disk.find('/etc/apt/apt.conf.d/60hosting-unattended-upgrades')
  return printed(`APT::Periodic::Unattended-Upgrade "${text ? 1 : 0}";\n`)
}

function upgradesIn({ pending }: Machine, argv: readonly string[]): PendingPackage[] {
  if (argv.includes('upgrade')) return pending
  if (!argv.includes('--only-upgrade')) return []
  const named = argv.slice(argv.indexOf('--') + 1)
  return pending.filter(({ name }) => named.includes(name))
}

function installing({ name, installed, candidate, security }: PendingPackage): string {
  const archive = security ? 'Debian-Security:13/stable-security' : 'Debian:13.1/stable'
  return `Inst ${name} [${installed}] (${candidate} ${archive} [amd64])`
}
