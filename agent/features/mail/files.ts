import { type Change, declared, provided } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPlaces } from '#agent/kernel/mail/places.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  parseSetting,
  ServerSetting,
  SiteSetting,
} from './setting.ts'

/** Owned by root and readable by the queue alone: it may contain the password of a relay. */
export async function writeSetting(
  host: Host,
  path: string,
  setting: ServerSetting | SiteSetting,
): Promise<void> {
  const text = `${JSON.stringify(setting, null, 2)}\n`
  await host.files.write(path, text, { mode: 0o640, group: MAIL_USER })
}

export async function readServerSetting({ files, settings }: Host): Promise<ServerSetting> {
  const path = mailPlaces(settings.mail_dir).server
  const text = await files.read(path)
  return text === undefined ? NO_SERVER_SETTING : parseSetting(ServerSetting, text, path)
}

export async function readSiteSetting(
  { files, settings }: Host,
  { user, domain }: Pick<Site, 'user' | 'domain'>,
): Promise<SiteSetting> {
  const path = mailPlaces(settings.mail_dir).site(user)
  const text = await files.read(path)
  return text === undefined ? newSiteSetting(domain) : parseSetting(SiteSetting, text, path)
}

/** The setting of a site follows its domain, from which it derives addresses. */
export function renameMail(host: Host, user: string, domain: string): Change {
  const path = mailPlaces(host.settings.mail_dir).site(user)
  return provided(
    () => host.files.stat(path),
    declared([change('file', path)], async () =>
      writeSetting(host, path, { ...(await readSiteSetting(host, { user, domain })), domain }),
    ),
  )
}

/** Whether there is a staging site, whose mail the queue keeps. */
export async function keepsMail(host: Host): Promise<boolean> {
  return (await settingsOf(host)).some(({ setting }) => setting.caught)
}

/** Whether the server or one of its sites has a relay; the setting at `but` does not count. */
export async function hasRelay(host: Host, but?: string): Promise<boolean> {
  const { server } = mailPlaces(host.settings.mail_dir)
  if (server !== but && (await readServerSetting(host)).relay) return true
  const settings = await settingsOf(host)
  return settings.some(({ path, setting }) => path !== but && setting.relay && !setting.caught)
}

async function settingsOf(host: Host): Promise<{ path: string; setting: SiteSetting }[]> {
  const { sites, site } = mailPlaces(host.settings.mail_dir)
  const names = (await host.files.list(sites)).map(({ name }) => name)
  const users = names.flatMap((name) => /^([^.].*)\.json$/.exec(name)?.[1] ?? [])
  return Promise.all(
    users.map(async (user) => ({
      path: site(user),
      setting: await readSiteSetting(host, { user, domain: '' }),
    })),
  )
}
