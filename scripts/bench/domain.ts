import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import { MailWorld, SHOP } from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'
import { report } from './lib/figure.ts'
import { filled } from './lib/fill-site.ts'

const PROMISED = 4
const NEW = 'brand-new.example.test'
const LATER = 'later.example.test'
const SITE = { ...SHOP, docroot: `/srv/www/${SHOP.user}/public` }
const PHP = '8.4'

/**
 * Changes the primary domain of a real WordPress whose posts have 1 GB (`--megabytes 1000`), while
 * a visitor requests a page of PHP continuously; then wp-cli replaces the new address by another
 * one in the same database, which is a part of that work. Exits with status 1 if the agent leaves
 * more addresses than wp-cli does, or takes more than 4 times as long. Needs the lab (root).
 */
async function bench(world: MailWorld, megabytes: number): Promise<boolean> {
  const on = (...args: string[]) => wpCli(world.host, SITE, PHP, args)
  const prefix = (await on('config', 'get', 'table_prefix')).trim()
  const query = (sql: string) =>
    world.host.must(['mariadb', '--skip-column-names', SHOP.user], { input: sql })
  await query(filled(megabytes * 1e6, SHOP.domain).replaceAll(' wp_', ` ${prefix}`))
  const posts = [`${prefix}posts`, 'post_content'] as const
  const metas = [`${prefix}postmeta`, 'meta_value'] as const
  const remaining = async (host: string) => {
    const counts = [posts, metas].map(
      ([table, column]) => `SELECT COUNT(*) FROM ${table} WHERE ${column} LIKE '%${host}%';`,
    )
    return (await query(counts.join('\n'))).trim().split('\n').map(Number)
  }
  const before = await remaining(SHOP.domain)

  const visitor = visiting(world)
  const agent = await timed(() =>
    world.done('site.rename', { domain: SHOP.domain, primary: NEW, former: 'redirect' }),
  )
  const pause = await visitor.end()
  const ours = await remaining(SHOP.domain)
  const changed = await remaining(NEW)
  const wp = await timed(() =>
    on(
      'search-replace',
      `//${NEW}`,
      `//${LATER}`,
      '--all-tables-with-prefix',
      '--skip-columns=guid',
    ),
  )
  const theirs = await remaining(NEW)

  const size = Number(
    (
      await query(`SELECT SUM(data_length) FROM information_schema.tables
      WHERE table_schema = '${SHOP.user}';`)
    ).trim(),
  )
  const ratio = agent / wp
  console.log(`database ${(size / 1e6).toFixed(0)} MB, ${sum(before)} rows with the address`)
  console.log(`rename   ${agent.toFixed(1)} s with its saved copy, configuration and switch`)
  console.log(`pause    ${pause.toFixed(1)} s without PHP, as a visitor sees it`)
  console.log(`wp-cli   ${wp.toFixed(1)} s for search-replace alone, while the site runs`)
  console.log(`left     ${sum(ours)} rows (wp-cli: ${sum(theirs)})`)
  console.log(`ratio    ${ratio.toFixed(1)} (promised: at most ${PROMISED})`)
  report({
    ...{ name: 'change of the primary domain', unit: 's', ours: agent, against: wp },
    at_most: PROMISED,
  })
  return sum(changed) === sum(before) && sum(ours) <= sum(theirs) && ratio <= PROMISED
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
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

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } })
  const world = await MailWorld.start('trixie')
  try {
    if (!(await bench(world, Number(values.megabytes))))
      throw new Error('the change of the domain is slower than promised, or incomplete')
  } finally {
    await world.stop()
  }
}

await main().then(() => process.exit(0), fail)
