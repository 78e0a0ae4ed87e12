import type { Output } from '#agent/host/ports.ts'
import { MAIL_PROCESSES, MAIL_UNIT } from '#agent/os/mail/service.ts'
import { fpmService, type Pool, socketOf } from '#agent/os/php/fpm-files.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { phpPid } from '#scripts/demo/machine/system.ts'
import { done, failed, lastOf, said } from './output.ts'

const BASE = ['nginx.service', 'mariadb.service', 'cron.service']

export function systemctl(machine: Machine, argv: readonly string[]): Output {
  const [, verb = ''] = argv
  const unit = lastOf(argv)
  if (verb === 'show') return show(machine, argv)
  const pool = poolOf(unit)
  if (verb === 'reset-failed') machine.failed.delete(unit)
  if (verb === 'stop' && pool) stopPool(machine, unit, pool)
  if (verb === 'stop' && unit === MAIL_UNIT) machine.disk.drop(MAIL_PROCESSES)
  if (verb !== 'start' && verb !== 'restart') return done()
  if (pool && !machine.disk.find(`/etc/systemd/system/${unit}`))
    return failed(`Failed to ${verb} ${unit}: Unit ${unit} not found.`, 5)
  machine.failed.delete(unit)
  machine.stopped.delete(unit)
  if (pool) startPool(machine, pool)
  if (unit === MAIL_UNIT) machine.disk.putText(MAIL_PROCESSES, '901\n')
  return done()
}

/** What it was asked of each unit: `--property=Names,ActiveState -- <unit>…` */
function show(machine: Machine, argv: readonly string[]): Output {
  const units = argv.slice(argv.indexOf('--') + 1)
  if (!argv.includes('--')) return done()
  const blocks = units.map((unit) => `Names=${unit}\nActiveState=${stateOf(machine, unit)}\n`)
  return said(blocks.join('\n'))
}

function stateOf(machine: Machine, unit: string): string {
  if (machine.failed.has(unit)) return 'failed'
  if (machine.stopped.has(unit)) return 'inactive'
  const pool = poolOf(unit)
  if (!pool) return BASE.includes(unit) ? 'active' : 'inactive'
  return machine.disk.find(fpmService(pool).processes) ? 'active' : 'inactive'
}

/** `hosting-fpm@shop-php8.2.service` */
function poolOf(unit: string): Pool | undefined {
  const [, user, php] = /^hosting-fpm@(.+)-php(\d\.\d)\.service$/.exec(unit) ?? []
  return user !== undefined && php !== undefined ? { user, php } : undefined
}

export function startPool({ disk }: Machine, pool: Pool): void {
  disk.putText(socketOf(pool), '')
  disk.putText(fpmService(pool).processes, `${phpPid(pool.php)}\n`)
}

function stopPool({ disk, failed: broken }: Machine, unit: string, pool: Pool): void {
  broken.delete(unit)
  disk.drop(socketOf(pool))
  disk.drop(fpmService(pool).processes)
}

/** Its signals change nothing that anybody could see. */
export const startStopDaemon = done
