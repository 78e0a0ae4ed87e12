import type { Host } from '#agent/host/ports.ts'
import { planPut } from '#agent/os/effects/effects.ts'
import { mailSteps } from '#agent/os/mail/base.ts'
import { hasRelay, keepsMail, writeSetting } from '#agent/os/mail/files.ts'
import * as formerly from '#agent/os/mail/former.ts'
import { mailPlaces } from '#agent/os/mail/places.ts'
import { planSync, syncService } from '#agent/os/mail/service.ts'
import { ofSite, type ServerSetting, type SiteSetting } from '#agent/os/mail/setting.ts'
import { commonSteps } from '#agent/os/site/all-sites.ts'
import { findSite, getSite } from '#agent/os/site/sites.ts'
import { command, ready, type Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'

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
        await planPut(host, path),
        ...(await planSync(host, await isNeeded(host, path, params))),
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
