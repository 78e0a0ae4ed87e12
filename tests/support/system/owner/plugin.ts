import { expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTES } from '#tests/support/system/world.ts'
import type { Owner } from './owner.ts'
import { SHOP } from './shop-plugin.ts'

const PACK = `$zip = new ZipArchive();
$zip->open('/root/test-shop.zip', ZipArchive::CREATE);
$zip->addFromString('test-shop/test-shop.php', stream_get_contents(STDIN));
$zip->close();`

/** The archive as a download. */
async function writePlugin({ host, folder, php }: Owner): Promise<string> {
  await host.must([`php${php}`, '-r', PACK], { input: SHOP })
  const encoded = await host.must(['base64', '--wrap=0', '/root/test-shop.zip'])
  const path = join(folder, 'test-shop.zip')
  await writeFile(path, Buffer.from(encoded, 'base64'))
  return path
}

export function installsPlugin(owner: () => Owner): void {
  test(
    'a plugin is installed from a zip file, and works',
    async () => {
      const page = await owner().page()
      await page.goto('/wp-admin/plugin-install.php?tab=upload')
      await page.setInputFiles('input[name=pluginzip]', await writePlugin(owner()))
      await page.click('#install-plugin-submit')
      await page.getByRole('link', { name: 'Activate Plugin' }).click({ timeout: 3 * MINUTES })
      await page.getByText('Plugin activated.').waitFor({ timeout: 3 * MINUTES })

      const { status, body } = await owner().visit('/lamp/')

      expect([status, body.includes('A lamp')]).toEqual([200, true])
    },
    5 * MINUTES,
  )
}
