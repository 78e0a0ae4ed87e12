import { expect, test } from 'bun:test'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import * as lab from '#tests/support/lab/index.ts'
import { Random, seed } from '#tests/support/random.ts'
import { long } from '#tests/support/runs.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES, type World } from '#tests/support/system/world.ts'

const SCRIPT = `<?php usleep(random_int(0, 30000)); echo 'answer ', $_GET['n'];`
const AT_ONCE = 8
const SPREAD_MS = 120
const ROUNDS = long ? 400 : 8

/** Requests before, during and after the end of PHP-FPM. */
export function sleeps(world: World): void {
  if (world.variant.init !== 'systemd') return

  test(
    'answers each request that arrives while PHP-FPM goes to sleep, and starts it again',
    async () => {
      const { host, site, variant } = world
      const { unit } = fpmService({ user: site.user, php: variant.php })
      const path = `${site.docroot}/sleep.php`
      await host.put(path, SCRIPT)
      await host.must(['chown', `${site.user}:www-data`, path])
      const ask = async (n: number, delay: number) => {
        await Bun.sleep(delay)
        return (await get(host, `http://${site.domain}/sleep.php?n=${n}`)).body
      }
      const random = new Random(seed())
      for (let round = 0; round < ROUNDS; round++) {
        expect(await ask(0, 0)).toBe('answer 0')

        const numbers = Array.from({ length: AT_ONCE }, (_, n) => n + 1)
        const [answers] = await Promise.all([
          Promise.all(numbers.map((n) => ask(n, random.below(SPREAD_MS)))),
          host.must(['systemctl', 'stop', unit]),
        ])

        expect(answers).toEqual(numbers.map((n) => `answer ${n}`))
      }
      // A visit of the dashboard may start it again.
      const sleeps = async () => {
        await host.must(['systemctl', 'stop', unit])
        return (await host.exec(['systemctl', 'is-active', unit])).stdout === 'inactive\n'
      }
      expect(await lab.poll(sleeps, { every_ms: 1000 })).toBe(true)
      expect((await get(host, `http://${site.domain}/?awake`)).status).toBe(200)
      expect(await host.must(['systemctl', 'is-active', unit])).toBe('active\n')
      await host.must(['rm', path])
    },
    (long ? 30 : 3) * MINUTES,
  )
}
