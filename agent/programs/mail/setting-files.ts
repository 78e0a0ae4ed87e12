import { readFile } from 'node:fs/promises'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  parseSetting,
  ServerSetting,
  SiteSetting,
} from '#agent/features/mail/setting.ts'
import type { MailPlaces } from '#agent/kernel/mail/places.ts'
import { ifPresent } from './if-present.ts'

/** Files of root, read each time: a change needs no signal. */
export const settingFiles = (places: MailPlaces) => ({
  async server(): Promise<ServerSetting> {
    const text = await ifPresent(readFile(places.server, 'utf8'))
    if (text === undefined) return NO_SERVER_SETTING
    return parseSetting(ServerSetting, text, places.server)
  },

  async site(user: string): Promise<SiteSetting> {
    const path = places.site(user)
    const text = await ifPresent(readFile(path, 'utf8'))
    if (text === undefined) return { ...newSiteSetting('localhost'), enabled: false }
    return parseSetting(SiteSetting, text, path)
  },
})

export type SettingFiles = ReturnType<typeof settingFiles>
