import { replacementOf } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { commonSteps } from '#agent/kernel/site/all-sites.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { hasRelay, hasStagingSites, writeSetting } from './files.ts'
import * as formerly from './former-setting.ts'
import { mailSteps } from './install-mail.ts'
import { synced, syncMailService } from './service.ts'
import { type ServerSetting, type SiteSetting, siteSettingFor } from './setting.ts'

type MailParams = ParamsOf<'mail.apply'>

/** Keeps the previous setting beside the new one until the queue runs with the new one. */
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

/** Throws not_found for a domain without a managed site. */
async function pathOf({ domain }: MailParams, host: Host): Promise<string> {
  const places = mailPathsIn(host.settings.mail_dir)
  return domain === undefined ? places.server : places.site((await getSite(host, domain)).user)
}

async function findPath({ domain }: MailParams, host: Host): Promise<string | undefined> {
  const places = mailPathsIn(host.settings.mail_dir)
  if (domain === undefined) return places.server
  const site = await findSite(host, domain)
  return site && places.site(site.user)
}

function stepsOf(path: string, params: MailParams, host: Host): Step[] {
  return [
    {
      name: 'setting',
      title: 'Changing the mail settings',
      effects: async () => [
        await replacementOf(host, path),
        ...(await synced(host, () => isNeeded(host, path, params)).effects()),
      ],
      async apply() {
        await formerly.keepFormerSetting(host, path)
        await writeSetting(host, path, await settingOf(params, host))
        await syncMailService(host)
      },
      async undo() {
        await formerly.restoreFormerSetting(host.steady ?? host, path)
        await syncMailService(host.steady ?? host)
      },
    },
    {
      name: 'former setting',
      title: 'Removing the previous setting',
      effects: [],
      apply: () => formerly.removeFormerSetting(host, path),
      decided: async () => !(await formerly.hasFormerSetting(host, path)),
    },
  ]
}

/** Reveals the password, only here: the file is for the queue. */
async function settingOf(
  { domain, relay, ...rules }: MailParams,
  host: Host,
): Promise<ServerSetting | SiteSetting> {
  const opened = relay && { ...relay, password: relay.password.reveal() }
  const setting = { ...rules, relay: opened }
  if (domain === undefined) return setting
  return siteSettingFor(await getSite(host, domain), { ...setting, domain })
}

/** Returns whether the queue runs with the new setting at `path`. */
const isNeeded = async (host: Host, path: string, { relay }: MailParams): Promise<boolean> =>
  relay !== null || (await hasRelay(host, path)) || (await hasStagingSites(host))
