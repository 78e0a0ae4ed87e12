import { type Change, generated } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { type Generated, removeGenerated, replace } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { WANTS } from '#agent/kernel/services/systemd.ts'
import { hasPageCache } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { servedNamesOf } from '#shared/kernel/site-names.ts'
import { LISTENER_PHP_TEXT } from './listener-php.ts'
import {
  LISTENER_PHP,
  PLUGIN_PHP,
  purgeSocketOf,
  RUN_FOLDER,
  servicePathOf,
  serviceUnitOf,
  socketPathOf,
  socketUnitOf,
  wantsPathOf,
} from './places.ts'
import { PLUGIN_PHP_TEXT } from './plugin-php.ts'
import { renderService, renderSocket } from './units.ts'

const wantsPurge = (host: Host, site: Site): boolean =>
  isMet(NEEDS.page_purge, host) && site.settings?.page_purge === true && hasPageCache(site)

/** Root's programs, which every site with the setting runs. */
const purgePrograms = (host: Host): Change =>
  generated(host, [
    { path: LISTENER_PHP, text: LISTENER_PHP_TEXT },
    { path: PLUGIN_PHP, text: PLUGIN_PHP_TEXT },
  ])

/** An address in a wildcard alias cannot be listed: its pages end by themselves. */
const filesOf = (site: Site): Generated[] => {
  const { user } = site
  const hosts = servedNamesOf(site).filter((name) => !name.startsWith('*'))
  return [
    { path: socketPathOf(user), text: renderSocket(user) },
    { path: servicePathOf(user), text: renderService(user, hosts) },
  ]
}

/** Starts or removes the listener of a site, as its record says. */
export const applyListener = (host: Host, site: Site): Change => ({
  async effects() {
    const { user } = site
    if (!wantsPurge(host, site)) return removeListener(host, user).effects()
    const link = await effects.planMake(host, 'link', wantsPathOf(user))
    return [
      ...(await purgePrograms(host).effects()),
      ...(await effects.planGenerate(host, filesOf(site))),
      ...link,
      ...(link.length > 0 ? [effects.create('service', socketUnitOf(user))] : []),
      ...(await effects.planMake(host, 'folder', RUN_FOLDER)),
      ...(await effects.planMake(host, 'socket', purgeSocketOf(user))),
    ]
  },
  async apply() {
    const { user } = site
    if (!wantsPurge(host, site)) return removeListener(host, user).apply()
    await purgePrograms(host).apply()
    const planned = await effects.planGenerate(host, filesOf(site))
    for (const { path, text } of filesOf(site)) await replace(host, path, text)
    await host.files.mkdir(WANTS)
    await host.files.link(socketPathOf(user), wantsPathOf(user))
    if (planned.length > 0) {
      await host.shell.run(['systemctl', 'daemon-reload'])
      // It has the former names; the next message starts it again.
      await host.shell.run(['systemctl', 'stop', serviceUnitOf(user)])
    }
    await host.shell.run(['systemctl', 'start', socketUnitOf(user)])
  },
})

/** The same for a change that works without it: pages end by themselves. */
export const followListener = (host: Host, site: Site): Promise<void> =>
  applyListener(host, site)
    .apply()
    .catch(() => undefined)

export const removeListener = (host: Host, user: string): Change => ({
  async effects() {
    const link = await effects.planRemove(host, 'link', wantsPathOf(user))
    return [
      ...(link.length > 0 ? [effects.remove('service', socketUnitOf(user))] : []),
      ...link,
      ...(await effects.planRemove(host, 'file', servicePathOf(user), socketPathOf(user))),
      ...(await effects.planRemove(host, 'socket', purgeSocketOf(user))),
    ]
  },
  async apply() {
    if (!(await host.files.stat(socketPathOf(user)))) return
    await host.files.remove(wantsPathOf(user))
    const units = [socketUnitOf(user)]
    // systemctl refuses a unit without a file, which an interrupted removal leaves.
    if (await host.files.stat(servicePathOf(user))) units.push(serviceUnitOf(user))
    await host.shell.run(['systemctl', 'stop', ...units])
    await host.shell.try(['systemctl', 'reset-failed', ...units])
    // That of the socket identifies the listener, and goes last.
    for (const path of [servicePathOf(user), socketPathOf(user)]) await removeGenerated(host, path)
    await host.shell.run(['systemctl', 'daemon-reload'])
  },
})
