import { applyInstance, followInstance } from '#agent/features/object-cache/instance.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { messageOf } from '#shared/kernel/errors.ts'

interface Change {
  domain: string
  into(site: Site): Site
}

/** A suspended site has no object cache; other changes apply it together with PHP. */
export async function suspendedObjects(change: Change, host: Host): Promise<Step[]> {
  if (!(await findSite(host, change.domain))?.object_cache) return []
  const recorded = () => getSite(host, change.domain)
  const target = async () => change.into(await recorded())
  return [
    {
      name: 'object cache',
      title: 'Applying the object cache',
      effects: async () => applyInstance(host, await target()).effects(),
      async *apply() {
        try {
          await applyInstance(host, await target()).apply()
        } catch (error) {
          yield `Warning: the object cache was not changed: ${messageOf(error)}`
        }
      },
      undo: async () => followInstance(host.steady ?? host, await recorded()),
    },
  ]
}
