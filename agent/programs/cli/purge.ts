import { commands } from '#agent/commands.ts'
import { TMPFILES } from '#agent/features/access/shell/shell.ts'
import { BASE_PATHS } from '#agent/features/servers/provision/provision.ts'
import { UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { stopConnectionRate } from '#agent/features/web/connection-rate.ts'
import { reloadTested } from '#agent/features/web/nginx.ts'
import { removeGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER } from '#agent/kernel/mail/places.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { DROP_INS } from '#agent/kernel/services/restarting.ts'
import { CACHES, CONFIGURATION, LIBRARY, LOGS, TRASH } from '#agent/kernel/site/paths.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { removeSharedEtc } from '#agent/kernel/site-etc/shared.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'

/** Every site of this agent goes to the trash, as a dashboard deletes it. */
export async function removeAllSites(host: Host): Promise<void> {
  for (const { domain } of await listSites(host)) await done(host, 'site.delete', { domain })
}

/** Permanently deletes the sites in the trash, also partly deleted ones. */
export async function emptyTrashes(host: Host): Promise<void> {
  for (const place of ['purging', 'trash'] as const) {
    for (const { domain } of await listSites(host, place)) {
      await done(host, 'site.purge', { domain, confirm: domain, trashed_days: 0 })
    }
  }
}

/** Removes the configuration for all sites; without a site, nothing needs it. */
export async function removeBase(host: Host): Promise<void> {
  await stopConnectionRate(host)
  for (const path of [...BASE_PATHS, ...DROP_INS, UNATTENDED_FILE, TMPFILES]) {
    await removeGenerated(host, path)
  }
  await reloadTested(host)
  await removeSharedEtc(host)
  for (const path of [CONFIGURATION, CACHES, LOGS, LIBRARY, TRASH]) await host.files.remove(path)
  await host.shell.try(['userdel', MAIL_USER])
  await host.shell.try(['systemctl', 'daemon-reload'])
}

/** As an operation of the stopped agent: an interrupted one is repeated. */
async function done<N extends CommandName>(host: Host, name: N, params: ParamsOf<N>) {
  const report = (error: unknown) => console.error(String(error))
  const runner = new Runner({ host, commands, report })
  const operation = await runner.start(name, params)
  const failure = await operation.untilEnd()
  if (!failure) return
  const reason = failure.message ?? failure.error
  throw new Error(`${name} failed: ${reason}. Nothing else was removed after it`)
}
