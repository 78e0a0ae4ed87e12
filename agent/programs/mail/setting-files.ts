import { readFile } from 'node:fs/promises'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  parseSetting,
  ServerSetting,
  SiteSetting,
} from '#agent/features/mail/setting.ts'
import type { MailPaths } from '#agent/kernel/mail/paths.ts'
import { undefinedIfMissing } from './undefined-if-missing.ts'

/** Reads files of root each time: a change needs no signal. */
export const settingFiles = (places: MailPaths) => ({
  async server(): Promise<ServerSetting> {
    const text = await undefinedIfMissing(readFile(places.server, 'utf8'))
    if (text === undefined) return NO_SERVER_SETTING
    return parseSetting(ServerSetting, text, places.server)
  },

  async site(user: string): Promise<SiteSetting> {
    const path = places.site(user)
    const text = await undefinedIfMissing(readFile(path, 'utf8'))
    if (text === undefined) return { ...newSiteSetting('localhost'), enabled: false }
    return parseSetting(SiteSetting, text, path)
  },
})

export type SettingFiles = ReturnType<typeof settingFiles>
