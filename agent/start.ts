import { listAccounts } from '#agent/features/access/list.ts'
import { endManagers } from '#agent/features/access/user-manager.ts'
import { removeLeftoverSessions } from '#agent/features/backups/read/open-backup.ts'
import { removeAllUploads } from '#agent/features/database/site/uploads.ts'
import { removeLeftoverPhases } from '#agent/features/domains/issue-phase.ts'
import { withdrawAllTokens } from '#agent/features/domains/probe-names.ts'
import { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import { HealthMonitor } from '#agent/features/health/monitor.ts'
import { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { reopenLeftoverLogins } from '#agent/features/moves/reopen-logins.ts'
import { ensureServices } from '#agent/features/servers/ensure-services.ts'
import { removeLeftoverDrafts } from '#agent/features/servers/remove-drafts.ts'
import type { Config } from '#agent/kernel/config.ts'
import { lowerPacketLimit } from '#agent/kernel/database/import.ts'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { AGENT_GROUP } from '#agent/kernel/host/sandbox.ts'
import { serveUntilStopped } from '#agent/kernel/http/serve-until-stopped.ts'
import { log, logError } from '#agent/kernel/log.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import { stopLeftoverSlices } from '#agent/kernel/sandbox/slice.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { prepareSiteEtc } from '#agent/kernel/site-etc/prepare.ts'
import { socketIn, writeNotice } from '#agent/kernel/trust/gate-notice.ts'
import { trustOf } from '#agent/kernel/trust/index.ts'
import { refuseSitesWithoutAuth } from '#agent/kernel/trust/refuse-sites.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { createApp } from './app.ts'
import { commands } from './commands.ts'
import { readings } from './readings.ts'
import { confinedHost, realHost } from './real-host.ts'
import { startRounds } from './rounds.ts'

/** Runs both halves in one process: for machines without systemd. */
export async function serve(config: Config, host = realHost(config.settings)): Promise<void> {
  const { app, tls, renew } = await openRunner(config, host)
  await serveUntilStopped(app.fetch, { address: config.address, port: config.port, tls })
  renew()
}

/** Runs the working half, sandboxed, on a socket for the listening half alone. */
export async function serveRoot(config: Config): Promise<void> {
  const host = confinedHost(config.settings)
  const { app, notice, renew } = await openRunner(config, host)
  if (!notice) throw new ConfigError('AGENT_AUTH=none is for `hosting-agent serve` alone')
  const group = host.privileged ? { mode: 0o750, group: AGENT_GROUP } : {}
  await host.files.mkdir(config.run_dir, group)
  const socket = socketIn(config.run_dir)
  await host.files.remove(socket)
  await writeNotice(host.files, config.run_dir, notice)
  await serveUntilStopped(app.fetch, { socket })
  renew()
}

async function openRunner(config: Config, host: Host) {
  if (config.auth === 'none') await refuseSitesWithoutAuth(host)
  await host.files.mkdir(config.state_dir, { mode: 0o711 })
  const runner = new Runner({
    host,
    commands,
    report: (error, operation_id) => logError(error, { operation_id }),
    log: (message, facts) => log('info', message, facts),
  })
  const problems = host.privileged
    ? [...(await prepareSiteEtc(host)), ...(await ensureServices(host))]
    : []
  for (const problem of problems) log('error', problem)
  if (host.privileged)
    await Promise.all([
      stopLeftoverSlices(host),
      removeLeftoverSessions(host),
      removeAllUploads(host),
      withdrawAllTokens(host),
      removeLeftoverPhases(host),
      removeLeftoverDrafts(host).catch(logError),
      endManagers(host, await listAccounts(host)).catch(logError),
      lowerPacketLimit(host).catch(logError),
    ])
  await runner.recover()
  if (host.privileged)
    await reopenLeftoverLogins(host, (domain) => runner.isBusy(apexOf(domain))).catch(logError)
  const { tls, notice, ...trust } = await trustOf(config, host)
  const policy = new Policy({
    ...host,
    path: config.policy_file,
    store: runner.store,
    recorded: (domain) => findSite(host, domain),
    sites: config.auth === 'none' ? 'refused' : 'allowed',
  })
  const own = new HealthMonitor(host, {
    isBusy: (domain) => runner.isBusy(apexOf(domain)),
    report: logError,
  })
  const found = new FoundMonitor(host)
  const numbers = new NumbersCollector(host)
  const app = createApp({
    host,
    runner,
    readings,
    health: () => [...own.list(), ...found.list()],
    numbers,
    policy,
    ...trust,
    report: logError,
  })
  const renew = () => {
    if (!host.privileged) return
    const { operations_bytes } = config
    startRounds({ host, runner, own, found, numbers, operations_bytes, report: logError })
  }
  return { app, tls, notice, renew }
}
