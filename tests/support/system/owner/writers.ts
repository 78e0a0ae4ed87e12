import { expect, test } from 'bun:test'
import { endOf } from '#tests/support/system/dashboard.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import type { Owner } from './owner.ts'

/** By wp-cli, by a login as the user of the site, and by an unpacked archive. */
const BY_HAND = `umask 027
cd wp-content/uploads
printf hand > hand.txt
mkdir -m 750 sent; printf sent > sent/sent.txt; chmod 640 sent/sent.txt
tar -cf /tmp/by-hand.tar sent --transform s/sent/unpacked/; tar -xpf /tmp/by-hand.tar; rm /tmp/by-hand.tar`
const PATHS = ['hand.txt', 'sent/sent.txt', 'unpacked/sent.txt']

export function serves(owner: () => Owner): void {
  const answers = async (paths: readonly string[]) => {
    const all: [string, number][] = []
    for (const path of paths) all.push([path, (await owner().visit(path)).status])
    return all
  }

  test(
    'visitors get files of plugins and people, also after a restore',
    async () => {
      const { host, site, docroot, world } = owner()
      const made = await owner().visit('/?shop_make=1')
      const drop = ['setpriv', `--reuid=${site.user}`, `--regid=${site.user}`, '--clear-groups']
      const script = ['env', '--chdir', docroot, 'bash', '-euc', BY_HAND]
      await host.must([...drop, '--', ...script])
      const paths = JSON.parse(made.body) as string[]
      paths.push(...PATHS.map((path) => `/wp-content/uploads/${path}`))
      expect(paths).toHaveLength(9)

      expect(await answers(paths)).toEqual(paths.map((path) => [path, 200]))
      for (const [method, path] of [
        ['DELETE', `/sites/${site.id}`],
        ['POST', `/sites/${site.id}/restore`],
      ] as const) {
        const answer = await world.dashboard.call(method, world.path(path))
        expect((await endOf(world.dashboard, answer)).event).toBe('complete')
      }

      expect(await answers(paths)).toEqual(paths.map((path) => [path, 200]))
      const secret = await owner().visit('/wp-content/uploads/../../wp-config.php')
      expect(secret.body).not.toContain('DB_PASSWORD')
    },
    5 * MINUTES,
  )
}
