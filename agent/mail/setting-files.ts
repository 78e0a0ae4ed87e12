import { readFile } from 'node:fs/promises'
import type { MailPlaces } from '#agent/os/mail/places.ts'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  parseSetting,
  ServerSetting,
  SiteSetting,
} from '#agent/os/mail/setting.ts'
import { ifPresent } from './if-present.ts'

/** Files of root, read each time: a change needs no signal. */
export class SettingFiles {
  readonly #places: MailPlaces

  constructor(places: MailPlaces) {
    this.#places = places
  }

  async server(): Promise<ServerSetting> {
    const path = this.#places.server
    const text = await ifPresent(readFile(path, 'utf8'))
    return text === undefined ? NO_SERVER_SETTING : parseSetting(ServerSetting, text, path)
  }

  async site(user: string): Promise<SiteSetting> {
    const path = this.#places.site(user)
    const text = await ifPresent(readFile(path, 'utf8'))
    if (text === undefined) return { ...newSiteSetting('localhost'), enabled: false }
    return parseSetting(SiteSetting, text, path)
  }
}
