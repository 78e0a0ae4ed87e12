import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/wait.ts'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'

const OWN = 'a file of its own'
const FOREIGN = 'a file of the neighbour'
const SWAPS = 150
const REQUESTS = 300

/** Swaps the file and a link to the neighbour's file repeatedly. */
const SWAP = `cd "$1" && for one in $(seq ${SWAPS}); do
  ln -s "$2" next && mv -T next swap.txt
  ln own.txt next && mv -T next swap.txt
done`

/** nginx may read the files of both sites, and caches open files for a moment. */
export function followsNoLink(world: World): void {
  test('serves no file of a neighbour through a link that takes the place of a file', async () => {
    const { host } = world
    const [one, two] = world.sites
    if (!one || !two) throw new Error('no sites')
    const foreign = `${two.docroot}/private.txt`
    for (const [{ user }, path, text] of [
      [two, foreign, FOREIGN],
      [one, `${one.docroot}/own.txt`, OWN],
      [one, `${one.docroot}/swap.txt`, OWN],
    ] as const) {
      await host.put(path, text, 0o640)
      await host.must(['chown', `${user}:www-data`, path])
    }
    const ask = () => get(host, `http://${one.domain}/swap.txt`)
    expect([(await ask()).body, (await ask()).body]).toEqual([OWN, OWN])
    const direct = await get(host, `https://${two.domain}/private.txt`)
    expect(direct.body).toBe(FOREIGN)

    await host.must(['ln', '-sfn', foreign, `${one.docroot}/swap.txt`])
    await poll(async () => {
      const { status, body } = await ask()
      expect(body).not.toContain(FOREIGN)
      return status >= 403
    })

    const as_site = ['setpriv', `--reuid=${one.user}`, `--regid=${one.user}`, '--clear-groups']
    const url = `http://${one.domain}/swap.txt?[1-${REQUESTS}]`
    const [, { body }] = await Promise.all([
      host.must([...as_site, 'sh', '-c', SWAP, 'sh', one.docroot, foreign]),
      get(host, url, { options: ['--rate', '200/s'] }),
    ])
    expect(body).toContain(OWN)
    expect(body).not.toContain(FOREIGN)
    await host.must(['rm', foreign, `${one.docroot}/own.txt`, `${one.docroot}/swap.txt`])
  })
}

/** nginx cannot read them, and looks whether they exist without a check of links. */
export function servesOwnPrograms(world: World): void {
  test('runs programs that only their owner may read, and no file of a neighbour', async () => {
    const { host } = world
    const [one, two] = world.sites
    if (!one || !two) throw new Error('no sites')
    const foreign = `${two.docroot}/private.txt`
    const folder = `${one.docroot}/folder`
    const own = [`${one.docroot}/own.php`, `${folder}/index.php`]
    for (const path of own) await host.put(path, '<?php echo "a program of its own";', 0o600)
    await host.put(foreign, FOREIGN, 0o640)
    await host.must(['chown', `${two.user}:www-data`, foreign])
    const links = [`${one.docroot}/link.php`, `${one.docroot}/linked/index.html`]
    await host.must(['mkdir', '-p', `${one.docroot}/linked`])
    for (const path of links) await host.must(['ln', '-s', foreign, path])
    await host.must(['chown', '-hR', one.user, ...own, folder, ...links])
    await host.must(['chmod', '600', `${one.docroot}/index.php`, `${one.docroot}/wp-login.php`])
    const ask = (path: string) => get(host, `http://${one.domain}${path}`)

    const bodies = await Promise.all(
      ['/own.php', '/folder/'].map(async (path) => (await ask(path)).body),
    )
    expect(bodies).toEqual(['a program of its own', 'a program of its own'])
    for (const path of ['/', '/wp-login.php', '/?no=cache']) {
      expect([path, (await ask(path)).status]).toEqual([path, 200])
    }
    for (const path of ['/link.php', '/linked/']) {
      expect((await ask(path)).body).not.toContain(FOREIGN)
    }

    await host.must(['rm', '-r', foreign, folder, `${one.docroot}/linked`, ...links.slice(0, 1)])
    await host.must(['rm', `${one.docroot}/own.php`])
    await host.must(['chmod', '640', `${one.docroot}/index.php`, `${one.docroot}/wp-login.php`])
  })
}
