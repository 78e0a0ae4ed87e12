import { expect, test } from 'bun:test'
import { renderUnattended, UNATTENDED_FILE } from '#agent/os/maintenance/unattended.ts'
import { missingPackages } from '#agent/os/packages/packages.ts'
import type { Maintenance } from '#shared/maintenance.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import * as lab from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import type { Enrolled } from './enrolled.ts'
import { PAGE, startLoad } from './load.ts'
import { publish } from './security-archive.ts'
import { MINUTES, type Site } from './world.ts'

const PHP = '8.2'
const NAME = `php${PHP}-intl`
// dpkg-query replaces it by the version.
const SHOWN = '--showformat=$'.concat('{Version}')
const MORE = ['unattended-upgrades']

/** A server with unattended updates. */
export async function updatable(): Promise<Image> {
  const packages = await missingPackages(fakeHost(), [PHP])
  const more = await morePackages('bookworm', MORE)
  return preparePackaged('bookworm', [...packages, ...MORE], more)
}

/** The daily run of Debian's apt-daily-upgrade.timer, as configured by the agent. */
export function unattendedChecks(worldNow: () => Enrolled, siteNow: () => Site): void {
  test(
    'an unattended security update reaches the site without a failed request',
    async () => {
      const { host, dashboard, path } = worldNow()
      const { docroot, user, domain } = siteNow()
      const unit = `hosting-fpm@${user}-php${PHP}.service`
      const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
      const versionOf = () => host.must(['dpkg-query', '--show', SHOWN, NAME])
      const maintenance = async () => {
        await dashboard.stream('POST', path('/sync'))
        const { body } = await dashboard.call('GET', path('/maintenance'))
        return body.maintenance as Maintenance
      }
      await host.put(UNATTENDED_FILE, renderUnattended(true))
      await host.put(`${docroot}/load.php`, PAGE)
      await host.must(['chown', `${user}:www-data`, `${docroot}/load.php`])
      await publish(host, NAME)
      const load = startLoad(host, `http://${domain}/load.php`, 20)
      await lab.poll(() => load.answers.good > 20, { timeout_ms: 3 * MINUTES })
      const [before, version] = [await host.must(show), await versionOf()]

      const env = { DEBIAN_FRONTEND: 'noninteractive' }
      const upgrade = ['unattended-upgrade', '-v']
      const said = await host.must(upgrade, { env, timeout_ms: 3 * MINUTES })

      expect(said).toMatch(new RegExp(`Packages that (will be|were) upgraded: ${NAME}`))
      expect(await versionOf()).toBe(`${version}+security1`)
      const renewed = async () => ![before, '0\n'].includes(await host.must(show))
      expect(await lab.poll(renewed, { every_ms: 500, timeout_ms: 3 * MINUTES })).toBe(true)
      const { good, bad } = await load.stop()
      expect([bad, good > 20]).toEqual([[], true])

      const isDone = async () => {
        const { last_update, old_files } = await maintenance()
        const isShown = last_update?.packages.includes(NAME)
        return isShown && old_files.every(({ kind }) => kind === 'other')
      }
      expect(await lab.poll(isDone, { every_ms: 2000, timeout_ms: 3 * MINUTES })).toBe(true)
      const { packages, unattended } = await maintenance()
      expect(packages.filter(({ security }) => security)).toEqual([])
      expect(unattended).toMatchObject({ enabled: true, source: 'hosting-control' })
    },
    8 * MINUTES,
  )
}
