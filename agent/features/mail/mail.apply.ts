import { replacementOf } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mailPlaces } from '#agent/kernel/mail/places.ts'
import { commonSteps } from '#agent/kernel/site/all-sites.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { mailSteps } from './base.ts'
import { hasRelay, keepsMail, writeSetting } from './files.ts'
import * as formerly from './former.ts'
import { synced, syncService } from './service.ts'
import { ofSite, type ServerSetting, type SiteSetting } from './setting.ts'

type Params = ParamsOf<'mail.apply'>

/** The previous setting is kept beside the new one until the queue runs with the new one. */
export const mailApply = command('mail.apply', {
  lock: ({ domain }) => (domain === undefined ? 'mail' : apexOf(domain)),
  check: async (params, host) => ({ path: await pathOf(params, host) }),
  async find(params, host) {
    const path = await findPath(params, host)
    return path === undefined ? undefined : { path }
  },
  steps: ({ params, host, path }) => [
    ready(async () => [...(await commonSteps(host)), ...(await mailSteps(host))]),
    ...stepsOf(path, params, host),
  ],
  result: async ({ host }) => ({ relay: await hasRelay(host) }),
})

/** Throws not_found for a domain of no managed site. */
async function pathOf({ domain }: Params, host: Host): Promise<string> {
  const places = mailPlaces(host.settings.mail_dir)
  return domain === undefined ? places.server : places.site((await getSite(host, domain)).user)
}

async function findPath({ domain }: Params, host: Host): Promise<string | undefined> {
  const places = mailPlaces(host.settings.mail_dir)
  if (domain === undefined) return places.server
  const site = await findSite(host, domain)
  return site && places.site(site.user)
}

function stepsOf(path: string, params: Params, host: Host): Step[] {
  return [
    {
      name: 'setting',
      title: 'Changing the mail settings',
      effects: async () => [
        await replacementOf(host, path),
        ...(await synced(host, () => isNeeded(host, path, params)).effects()),
      ],
      async apply() {
        await formerly.keep(host, path)
        await writeSetting(host, path, await settingOf(params, host))
        await syncService(host)
      },
      async undo() {
        await formerly.bringBack(host.steady ?? host, path)
        await syncService(host.steady ?? host)
      },
    },
    {
      name: 'former setting',
      title: 'Removing the previous setting',
      effects: [],
      apply: () => formerly.forget(host, path),
      decided: async () => !(await formerly.isKept(host, path)),
    },
  ]
}

/** The only place that takes the password out of its wrapping: the file is for the queue. */
async function settingOf(
  { domain, relay, ...rules }: Params,
  host: Host,
): Promise<ServerSetting | SiteSetting> {
  const opened = relay && { ...relay, password: relay.password.reveal() }
  const setting = { ...rules, relay: opened }
  if (domain === undefined) return setting
  return ofSite(await getSite(host, domain), { ...setting, domain })
}

/** Whether the queue runs with the new setting at `path`. */
const isNeeded = async (host: Host, path: string, { relay }: Params): Promise<boolean> =>
  relay !== null || (await hasRelay(host, path)) || (await keepsMail(host))
