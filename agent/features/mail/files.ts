import { type Change, declared, provided } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  parseSetting,
  ServerSetting,
  SiteSetting,
} from './setting.ts'

/** Writes a setting that only root and the queue can read: it may have a password. */
export async function writeSetting(
  host: Host,
  path: string,
  setting: ServerSetting | SiteSetting,
): Promise<void> {
  const text = `${JSON.stringify(setting, null, 2)}\n`
  await host.files.write(path, text, { mode: 0o640, group: MAIL_USER })
}

export async function readServerSetting({ files, settings }: Host): Promise<ServerSetting> {
  const path = mailPathsIn(settings.mail_dir).server
  const text = await files.read(path)
  return text === undefined ? NO_SERVER_SETTING : parseSetting(ServerSetting, text, path)
}

export async function readSiteSetting(
  { files, settings }: Host,
  { user, domain }: Pick<Site, 'user' | 'domain'>,
): Promise<SiteSetting> {
  const path = mailPathsIn(settings.mail_dir).site(user)
  const text = await files.read(path)
  return text === undefined ? newSiteSetting(domain) : parseSetting(SiteSetting, text, path)
}

/** Changes the domain of a setting, from which addresses are derived. */
export function renameMail(host: Host, user: string, domain: string): Change {
  const path = mailPathsIn(host.settings.mail_dir).site(user)
  return provided(
    () => host.files.stat(path),
    declared([change('file', path)], async () =>
      writeSetting(host, path, { ...(await readSiteSetting(host, { user, domain })), domain }),
    ),
  )
}

/** Returns whether there is a staging site, whose mail the queue keeps. */
export async function hasStagingSites(host: Host): Promise<boolean> {
  return (await settingsOf(host)).some(({ setting }) => setting.caught)
}

/** Returns whether the server or one of its sites has a relay; the one at `but` does not count. */
export async function hasRelay(host: Host, but?: string): Promise<boolean> {
  const { server } = mailPathsIn(host.settings.mail_dir)
  if (server !== but && (await readServerSetting(host)).relay) return true
  const settings = await settingsOf(host)
  return settings.some(({ path, setting }) => path !== but && setting.relay && !setting.caught)
}

async function settingsOf(host: Host): Promise<{ path: string; setting: SiteSetting }[]> {
  const { sites, site } = mailPathsIn(host.settings.mail_dir)
  const names = (await host.files.list(sites)).map(({ name }) => name)
  const users = names.flatMap((name) => /^([^.].*)\.json$/.exec(name)?.[1] ?? [])
  return Promise.all(
    users.map(async (user) => ({
      path: site(user),
      setting: await readSiteSetting(host, { user, domain: '' }),
    })),
  )
}
