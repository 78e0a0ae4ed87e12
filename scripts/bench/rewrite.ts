import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { DATABASE, Wordpress } from '#tests/support/rewrite/wordpress.ts'
import { report } from './lib/figure.ts'
import { filled } from './rewrite/filled.ts'

const PROMISED = 10
const MEMORY_BYTES = 128e6
const [OLD, NEW] = ['old.example', 'brand-new.example']
const RULES = [{ from: `//${OLD}`, to: `//${NEW}` }]

interface Measured {
  seconds: number
  bytes: number
}

/**
 * Replaces the address of one real WordPress with wp-cli in its database, and with the agent in its
 * dump; `--megabytes 1000` is the size of the posts (the default). Exits with status 1 if the
 * results differ in what wp-cli finds, if the agent is less than 10 times faster, or if it uses more
 * than 128 MB. Needs the lab (root, systemd-nspawn).
 */
async function bench(site: Wordpress, megabytes: number): Promise<boolean> {
  await site.sql(filled(megabytes * 1e6, OLD), DATABASE)
  const dump = await measure(site, `mariadb-dump ${DATABASE} > /tmp/before.sql`)
  const size = Number(await site.host.must(['stat', '--format=%s', '/tmp/before.sql']))
  const rewrite = async (rules: object, to: string) =>
    measure(site, `${await site.rewriter({ rules }, '/tmp/before.sql')} > ${to}`)

  await rewrite(RULES, '/tmp/ours.sql')
  const ours = await rewrite(RULES, '/tmp/ours.sql')
  const nothing = await rewrite([{ from: '//absent.example', to: `//${NEW}` }], '/dev/null')
  const wp_cli = await measure(
    site,
    `php -d memory_limit=2G /srv/mirror/wp-cli.phar --path=/srv/wordpress search-replace \\
      //${OLD} //${NEW} --all-tables --skip-columns=guid`,
  )
  await measure(
    site,
    `mariadb-dump ${DATABASE} | ${await site.rewriter({ rules: RULES })} > /tmp/theirs.sql`,
  )
  await site.as(['bash', '-ec', `cmp <(${rowsOf('ours')}) <(${rowsOf('theirs')})`])

  const rate = ({ seconds }: Measured) => `${(size / 1e6 / seconds).toFixed(0)} MB/s`
  const ratio = wp_cli.seconds / ours.seconds
  console.log(`dump     ${(size / 1e6).toFixed(0)} MB, written by mariadb-dump with ${rate(dump)}`)
  console.log(`wp-cli   ${wp_cli.seconds.toFixed(1)} s, ${rate(wp_cli)}`)
  console.log(`rewrite  ${ours.seconds.toFixed(2)} s, ${rate(ours)}, ${memory(ours)}`)
  console.log(`         ${rate(nothing)}, ${memory(nothing)} if no address occurs`)
  console.log(`ratio    ${ratio.toFixed(0)} (promised: ${PROMISED}); the results are the same`)
  const isFast = report({
    ...{ name: 'wp-cli takes', unit: 's', ours: ours.seconds, against: wp_cli.seconds, ratio },
    at_least: PROMISED,
  })
  const megabytes_used = Math.max(ours.bytes, nothing.bytes) / 1e6
  const isSmall = report({
    ...{ name: 'memory', unit: 'MB', ours: megabytes_used },
    at_most: MEMORY_BYTES / 1e6,
  })
  return isFast && isSmall
}

/** Where one statement ends and the next starts depends on their size. */
const rowsOf = (file: string) => `grep --text '^(' /tmp/${file}.sql | sed 's/[,;]$//'`

const memory = ({ bytes }: Measured) => `${(bytes / 1e6).toFixed(0)} MB of memory`

async function measure(site: Wordpress, command: string): Promise<Measured> {
  return JSON.parse(await site.as(['php', '/tmp/measure.php', command], { timeout_ms: 3_600_000 }))
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } })
  const site = await Wordpress.start('bench', OLD)
  try {
    const script = new URL('rewrite/measure.php', import.meta.url)
    await site.host.put('/tmp/measure.php', await Bun.file(script).text())
    const good = await bench(site, Number(values.megabytes))
    if (!good) throw new Error(`less than ${PROMISED} times faster, or too much memory`)
  } finally {
    await lab.switchDown()
  }
}

await main().then(() => process.exit(0), fail)
