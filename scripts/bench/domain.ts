import { switchDown } from '#tests/support/lab/index.ts'
import { MailWorld, SHOP } from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'
import { benchmark, numberOption, report } from './lib/benchmark.ts'
import { filled } from './lib/fill-site.ts'
import { timed } from './lib/measure.ts'

const NEW = 'brand-new.example.test'
const LATER = 'later.example.test'
const SITE = { ...SHOP, docroot: `/srv/www/${SHOP.user}/public` }

/**
 * Changes the primary domain of a real WordPress whose posts have 1 GB (`--megabytes 1000`), while
 * a visitor requests a page of PHP continuously; then wp-cli replaces the new address by another
 * one in the same database, which is a part of that work. Fails if the agent leaves more addresses
 * than wp-cli does. Needs the lab (root).
 */
async function main(): Promise<void> {
  const world = await MailWorld.start('trixie')
  await measure(world).finally(() => world.stop())
}

async function measure(world: MailWorld): Promise<void> {
  const wp = (...args: string[]) => wpCli(world.host, SITE, '8.4', args)
  const prefix = (await wp('config', 'get', 'table_prefix')).trim()
  const query = (sql: string) =>
    world.host.must(['mariadb', '--skip-column-names', SHOP.user], { input: sql })
  const bytes = numberOption('megabytes', 1000) * 1e6
  await query(filled(bytes, SHOP.domain).replaceAll(' wp_', ` ${prefix}`))
  const remaining = async (host: string) => {
    const counts = ['posts WHERE post_content', 'postmeta WHERE meta_value'].map(
      (column) => `SELECT COUNT(*) FROM ${prefix}${column} LIKE '%${host}%';`,
    )
    const [posts = 0, fields = 0] = (await query(counts.join('\n'))).trim().split('\n').map(Number)
    return posts + fields
  }
  const before = await remaining(SHOP.domain)

  const visitor = visiting(world)
  const params = { domain: SHOP.domain, primary: NEW, former: 'redirect' }
  const agent = await timed(() => world.done('site.rename', params))
  const pause = await visitor.end()
  const left = await remaining(SHOP.domain)
  const changed = await remaining(NEW)
  const replace = ['search-replace', `//${NEW}`, `//${LATER}`]
  const plain = await timed(() => wp(...replace, '--all-tables-with-prefix', '--skip-columns=guid'))
  const left_by_wp_cli = await remaining(NEW)

  console.log({ rows: before, left, left_by_wp_cli }, `${pause.toFixed(1)} s without PHP`)
  if (changed !== before || left > left_by_wp_cli) throw new Error('the change is incomplete')
  const goal = { against: plain / 1000, at_most: 4 }
  report('change of the primary domain', agent / 1000, 's', goal)
}

/** Returns the longest time in seconds in which neither name answered with a page of PHP. */
function visiting({ host }: MailWorld) {
  let [isOver, last, longest] = [false, performance.now(), 0]
  const answers = async (domain: string) =>
    (await get(host, `http://${domain}/wp-login.php`).catch(() => undefined))?.status === 200
  const seen = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }
  const visits = (async () => {
    while (!isOver) {
      if ((await answers(SHOP.domain)) || (await answers(NEW))) seen()
      await Bun.sleep(100)
    }
  })()
  return {
    async end(): Promise<number> {
      isOver = true
      await visits
      return longest / 1000
    },
  }
}

await benchmark(main, switchDown)
