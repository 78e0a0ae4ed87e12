import { applyListener } from '#agent/features/web/page-purge/listener.ts'
import { installPlugin, removePlugin } from '#agent/features/web/page-purge/plugin.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

interface PurgeChange {
  domain: string
  into(site: Site): Site
}

const isOn = ({ settings }: Site) => settings?.page_purge === true

/** Returns no step for a change without this setting: the owner may have removed the file. */
export async function purgePluginSteps(change: PurgeChange, host: Host): Promise<Step[]> {
  const before = await findSite(host, change.domain)
  if (!before || isOn(before) === isOn(change.into(before))) return []
  const recorded = () => getSite(host, change.domain)
  const file = (on: Host, site: Site) => (isOn(site) ? installPlugin : removePlugin)(on, site)
  // Throws when the requested listener is missing; other changes of the site work without it.
  const follow = async (on: Host, site: Site) => {
    await file(on, site).apply()
    await applyListener(on, site).apply()
  }
  const verb = isOn(before) ? 'Removing' : 'Installing'
  return [
    {
      name: 'purge plugin',
      title: `${verb} the plugin that reports changed pages`,
      effects: () => file(host, change.into(before)).effects(),
      apply: async () => follow(host, change.into(await recorded())),
      undo: async () => follow(host.steady ?? host, await recorded()),
    },
  ]
}
