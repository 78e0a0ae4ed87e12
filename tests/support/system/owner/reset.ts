import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Page } from 'playwright-core'
import * as lab from '#tests/support/lab/index.ts'
import type { Received } from '#tests/support/mail/relay.ts'
import { startInside } from '#tests/support/system/inside.ts'
import { logIn } from '#tests/support/system/log-in.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { ORIGIN, type Owner } from './owner.ts'

const PORT = '2525'
const PASSWORD = 'a new one, as long as it has to be'
const RELAY = join(import.meta.dir, '../smtp-relay.ts')

/** The link in the relay's only message. */
async function linkFrom(folder: string): Promise<string> {
  const read = () => readFile(join(folder, 'received'), 'utf8').catch(() => '')
  await lab.poll(async () => (await read()).includes('\n'), { timeout_ms: 3 * MINUTES })
  const { text } = JSON.parse((await read()).split('\n')[0] ?? '') as Received
  return /https:\/\/\S+action=rp\S*/.exec(text.replaceAll('=\r\n', ''))?.[0] ?? ''
}

/** Until a script of the page has not changed the field for a second. */
async function settled(page: Page, field: string): Promise<void> {
  for (let text = ''; ; ) {
    const before = text
    text = await page.inputValue(field)
    if (text !== '' && text === before) return
    await page.waitForTimeout(1000)
  }
}

export function resetsPassword(owner: () => Owner): void {
  test(
    'a forgotten password is reset by a link in a mail',
    async () => {
      const { host, world, folder } = owner()
      const relay = await startInside(
        host.netns,
        [process.execPath, RELAY, PORT, folder],
        /^listening/,
      )
      const setting = { relay: { host: '127.0.0.1', port: Number(PORT), tls: 'none' } }
      const events = await world.dashboard.stream('PUT', world.path('/mail'), setting)
      expect(events.at(-1)?.event).toBe('complete')
      const page = await (await owner().person()).newPage()
      await page.goto('/wp-login.php')
      await page.getByRole('link', { name: 'Lost your password?' }).click()
      // Both forms have fields of the same names.
      await page.waitForURL('**/wp-login.php?action=lostpassword')
      await page.fill('#user_login', owner().login)
      await page.click('#wp-submit')
      await page
        .getByText('Check your email')
        .first()
        .waitFor({ timeout: 3 * MINUTES })

      const link = await linkFrom(folder)
      expect(link).toStartWith(ORIGIN)
      await page.goto(link)
      // Once it can rate it, WordPress puts its own suggestion over any typed text.
      await page.locator('#pass-strength-result.strong').waitFor({ timeout: 3 * MINUTES })
      await settled(page, '#pass1')
      await page.fill('#pass1', PASSWORD)
      await page.click('#wp-submit')
      await page.getByText('Your password has been reset').waitFor({ timeout: 3 * MINUTES })
      await page.goto('/wp-login.php')
      await logIn(page, owner().login, PASSWORD)
      await page.context().close()
      await relay.stop()
    },
    5 * MINUTES,
  )
}
