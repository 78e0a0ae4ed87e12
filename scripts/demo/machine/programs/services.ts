import type { Output } from '#agent/host/ports.ts'
import { done, lastOf, printed } from '#agent/host/simulated/programs/output.ts'
import { processesOf, systemctl as start } from '#agent/host/simulated/programs/services.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { runJob } from './jobs.ts'

const BASE = ['nginx.service', 'mariadb.service', 'cron.service']

/** Also tracks units that have failed or were stopped manually. */
export function systemctl(machine: Machine, argv: readonly string[]): Output {
  const [, verb = ''] = argv
  const unit = lastOf(argv)
  if (verb === 'show') return show(machine, argv)
  const output = start(machine, argv)
  if (output.code !== 0) return output
  if (['start', 'restart', 'stop', 'reset-failed'].includes(verb)) machine.failed.delete(unit)
  if (verb === 'start' || verb === 'restart') machine.stopped.delete(unit)
  if (verb === 'start') runJob(machine, unit)
  return output
}

/** The requested properties of each unit: `--property=Names,ActiveState -- <unit>…` */
function show(machine: Machine, argv: readonly string[]): Output {
  const units = argv.slice(argv.indexOf('--') + 1)
  if (!argv.includes('--')) return done()
  const blocks = units.map((unit) => `Names=${unit}\nActiveState=${stateOf(machine, unit)}\n`)
  return printed(blocks.join('\n'))
}

function stateOf(machine: Machine, unit: string): string {
  if (machine.failed.has(unit)) return 'failed'
  if (machine.stopped.has(unit)) return 'inactive'
  if (unit.endsWith('.timer')) return 'active'
  if (!unit.startsWith('hosting-fpm@')) return BASE.includes(unit) ? 'active' : 'inactive'
  return machine.disk.find(processesOf(machine.disk, unit)) ? 'active' : 'inactive'
}
