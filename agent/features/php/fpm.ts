import { openSocket } from '#agent/features/mail/sockets.ts'
import { applyInstance, applyInstanceQuietly } from '#agent/features/object-cache/instance.ts'
import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { type GeneratedFile, replaceAllGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf, servicesOf } from '#agent/kernel/services/index.ts'
import { pidFilesOf } from '#agent/kernel/services/service.ts'
import { propertiesOf, slicePathOf } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import {
  configOf,
  FPM_FOLDER,
  fpmService,
  type Pool,
  pausedPathOf,
  poolFolderOf,
  RUN_FOLDER,
  renderIni,
  renderPool,
  socketOf,
  socketUnitPathOf,
  unitPathOf,
  wantsPathOf,
} from './fpm-files.ts'
import { stopAndDisable } from './fpm-removal.ts'
import { isListening, poolState } from './fpm-sleep.ts'
import { sliceFile } from './fpm-slice.ts'
import { renderSocket, renderUnit } from './fpm-units.ts'

const poolOf = ({ user, php }: Site): Pool => ({ user, php })

/**
 * Applies the tier to the PHP-FPM of a site: starts it, or reloads it without dropping a request. A
 * reload with an invalid file would end it, so the file is tested first; a failure restores the
 * former one. A unit of another agent version needs a restart, since a reload keeps its sandbox. A
 * sleeping PHP-FPM is started, so that the caller sees whether the change works.
 */
export const apply = (host: Host, site: Site): Change => ({
  effects: () => effectsOf(host, site),
  apply: () => host.exclusive(fpmService(poolOf(site)).unit, () => applyExclusively(host, site)),
})

async function effectsOf(host: Host, site: Site): Promise<Effect[]> {
  const pool = poolOf(site)
  const service = fpmService(pool)
  const { unit } = service
  const folders = [FPM_FOLDER, poolFolderOf(pool), RUN_FOLDER]
  const started = {
    broken: effects.create('service', unit),
    running: effects.run('reload', unit),
    asleep: effects.run('restart', unit),
  }
  return [
    ...(await openSocket(host, site).effects()),
    ...(await effects.creationsOf(host, 'folder', ...folders)),
    ...(await effects.writesOf(host, await filesOf(host, site))),
    ...(await servicesOf(host).enabled(service).effects()),
    ...(await effects.creationsOf(host, 'socket', socketOf(pool))),
    ...(await effects.creationsOf(host, 'file', ...pidFilesOf(host, service))),
    started[await poolState(host, pool)],
    ...(await applyInstance(host, site).effects()),
  ]
}

async function applyExclusively(host: Host, site: Site): Promise<void> {
  const pool = poolOf(site)
  await openSocket(host, site).apply()
  const state = await poolState(host, pool)
  const unit = await host.files.read(unitPathOf(pool))
  const restore = await writeFiles(host, site, state === 'running')
  const isSame = unit === (await host.files.read(unitPathOf(pool)))
  const usual = state === 'running' && isSame ? reload : restartUnits
  const change = state === 'broken' ? start : usual
  try {
    await change(host, pool)
    await awaitListening(host, pool)
    await awaitAnswer(host, pool)
    await applyInstanceQuietly(host, site)
    await host.files.remove(pausedPathOf(site.user))
  } catch (error) {
    if (change !== reload) await stopAndDisable(host.steady ?? host, pool)
    await restore()
    if (change === restartUnits) await startFormer(host.steady ?? host, pool)
    throw error
  }
}

/** Restarts with the present units; if systemd already has the socket, no request is refused. */
async function restartUnits(host: Host, pool: Pool): Promise<void> {
  const service = fpmService(pool)
  await test(host, pool)
  await host.shell.run(['systemctl', 'daemon-reload'])
  if (await isListening(host, pool)) return servicesOf(host).restart(service)
  await servicesOf(host).stop(service)
  await host.files.remove(service.pid_file)
  await start(host, pool)
}

async function startFormer(host: Host, pool: Pool): Promise<void> {
  await host.files.link(unitPathOf(pool), wantsPathOf(pool))
  await host.shell.try(['systemctl', 'daemon-reload'])
  await host.shell.try(['systemctl', 'start', fpmService(pool).unit])
}

/** Tests the files before the restart: with an invalid one it would not start again. */
export async function restart(host: Host, pool: Pool): Promise<void> {
  await test(host, pool)
  await servicesOf(host).restart(fpmService(pool))
  await awaitListening(host, pool)
}

async function writeFiles(host: Host, site: Site, runs: boolean): Promise<() => Promise<void>> {
  const pool = poolOf(site)
  const slice = await host.files.read(slicePathOf(site.user))
  await host.files.mkdir(FPM_FOLDER, { mode: 0o700 })
  const restore = await replaceAllGenerated(host, await filesOf(host, site))
  const services = servicesOf(host)
  await services.enabled(fpmService(pool)).apply()
  // A program of the site may have started a slice without these limits before.
  if (!runs && slice !== (await host.files.read(slicePathOf(site.user)))) await services.reread()
  return restore
}

async function filesOf(host: Host, site: Site): Promise<GeneratedFile[]> {
  const pool = poolOf(site)
  const limits = siteLimitsOn(site, await machineOf(host))
  const units = [
    { path: socketUnitPathOf(pool), text: renderSocket(pool) },
    { path: unitPathOf(pool), text: renderUnit(pool) },
  ]
  return [
    { path: configOf(pool), text: renderPool(pool, limits, host.init, site) },
    { path: `${poolFolderOf(pool)}/hosting.ini`, text: renderIni(limits) },
    ...(await sliceFile(host, site)),
    ...formOf(host, { systemd: units, direct: [] }),
  ]
}

/** Reloads by a signal: PHP-FPM restarts its program with its open sockets. */
export async function reload(host: Host, pool: Pool): Promise<void> {
  await test(host, pool)
  await servicesOf(host).reread()
  await servicesOf(host).reload(fpmService(pool), 'USR2')
}

/** Starts the pool. An error has PHP-FPM's own message, which says more than systemd's. */
async function start(host: Host, pool: Pool): Promise<void> {
  try {
    await servicesOf(host).start(fpmService(pool))
  } catch (error) {
    await test(host, pool)
    const log = await lastLogLines(host, pool)
    if (log === '') throw error
    throw new Error(`PHP ${pool.php} of ${pool.user} did not start: ${log}`, { cause: error })
  }
}

async function lastLogLines(host: Host, pool: Pool): Promise<string> {
  const log = (await host.files.read(fpmService(pool).log, 64 << 20))?.trim() ?? ''
  return log.split('\n').slice(-3).join(' | ')
}

async function test(host: Host, pool: Pool): Promise<void> {
  const argv = [fpmService(pool).program, '--test', '--fpm-config', configOf(pool)]
  const { code, stderr } = await host.shell.try(argv)
  if (code === 0) return
  throw conflict(`PHP-FPM refuses the configuration of ${pool.user}: ${stderr.trim()}`)
}

/** Throws if it has ended at its start, and systemd waits before it tries again. */
async function refuseEnded(host: Host, pool: Pool): Promise<void> {
  const { unit } = fpmService(pool)
  const states = await propertiesOf(host, [unit], ['SubState'])
  if (states.get(unit)?.SubState !== 'auto-restart') return
  const log = await lastLogLines(host, pool)
  throw new Error(`PHP ${pool.php} of ${pool.user} did not start: ${log || 'it has no log'}`)
}

/**
 * Waits for an answer: a file may pass the test and end PHP-FPM at its start, which systemd does
 * not wait for: it would have to show the site its own socket. Without an idle worker it may be
 * silent.
 */
async function awaitAnswer(host: Host, pool: Pool): Promise<void> {
  const end = host.clock.elapsed() + 10_000
  for (;;) {
    const pinged = await host.visitor.pingFpm(socketOf(pool))
    if (pinged === 'pong') return
    await refuseEnded(host, pool)
    if (host.clock.elapsed() > end) {
      if (pinged !== 'refused' && (await poolState(host, pool)) === 'running') return
      throw new Error(`PHP ${pool.php} of ${pool.user} does not answer after the change`)
    }
    await host.clock.sleep(100)
  }
}

async function awaitListening({ files, clock }: Host, pool: Pool): Promise<void> {
  const end = clock.elapsed() + 10_000
  while (!(await files.stat(socketOf(pool)))) {
    if (clock.elapsed() > end) throw new Error(`${socketOf(pool)} did not appear`)
    await clock.sleep(10)
  }
}
