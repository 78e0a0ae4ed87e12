import type { StoredEvent } from '#shared/kernel/sse.ts'
import { switchDown } from '#tests/support/lab/index.ts'
import { addSite } from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import { type Member, startTwoServers, type TwoServers } from '#tests/support/system/two-servers.ts'
import { benchmark, numberOption, report } from './lib/benchmark.ts'
import { contentOf, fillSite } from './lib/fill-site.ts'
import { timed } from './lib/measure.ts'

/** The share of the database in the bytes of the site. */
const DATABASE = 0.1
const EVERY_MS = 100
const MINUTES = 60_000
const domain = 'shop.example.test'

interface Moving extends TwoServers {
  site: number
  user: string
}

/**
 * Moves a WordPress of 2 GB (`--megabytes 2000`) between two servers, while a visitor requests its
 * front page continuously and the site changes a little, beside a plain copy with tar and
 * mariadb-dump between the same servers. Fails if the moved site differs. Needs the lab (root).
 */
async function main(): Promise<void> {
  const world = await startTwoServers()
  await measure(world).finally(() => world.stop())
}

async function measure(world: TwoServers): Promise<void> {
  const { id: site, user } = await addSite(world, { domain, tls: 'self-signed' })
  const megabytes = numberOption('megabytes', 2000)
  await fillSite(world.one.host, { user, domain }, { megabytes, database: DATABASE })
  const moving = { ...world, site, user }
  const plain = await timed(() => copyPlainly(moving))
  const visitor = new Visitor(world.one)
  const start = performance.now()
  const { seconds: reported } = await move(moving, start)
  const whole = (performance.now() - start) / 1000
  const frozen = await visitor.end()
  const { one, two } = world
  const [before, after] = await Promise.all([one, two].map(({ host }) => contentOf(host, user)))
  if (before !== after) throw new Error('the moved site is another one')
  const { status } = await get(two.host, `https://${domain}/`)
  if (status !== 200) throw new Error(`the new server answers ${status}`)
  const ratio = (whole * 1000) / plain
  console.log(`${whole.toFixed(1)} s, ${ratio.toFixed(1)} × as long as tar and mariadb-dump`)
  console.log(`the agent reports a freeze of ${reported} s`)
  report('freeze', frozen, 's', { at_most: 5 })
}

/** Copies the same bytes with the usual programs, compressed, through a connection of its own. */
async function copyPlainly({ one, two, user }: Moving): Promise<void> {
  const from = `set -o pipefail; exec 3<>/dev/tcp/${two.host.address}`
  const receive = (port: number, program: string) => [
    ...['systemd-run', '--quiet', '--unit', `plain-${port}`, 'systemd-socket-activate'],
    ...['--listen', `${port}`, '--inetd', '--accept', 'bash', '-c'],
    program,
  ]
  const send = async (port: number, program: string) => {
    const script = `${from}/${port}; ${program} | gzip -1 >&3; `
    await one.host.must(['bash', '-ec', script], { timeout_ms: 30 * MINUTES })
  }
  await two.host.must(['mkdir', '-p', '/srv/plain'])
  await two.host.must(['mariadb', '-e', 'CREATE DATABASE plain'])
  await two.host.must(receive(7001, 'tar -C /srv/plain -xz && echo done'))
  await two.host.must(receive(7002, 'gzip -d | mariadb plain && echo done'))
  await send(7001, `tar -C /srv/www/${user}/public -c .`)
  await send(7002, `mariadb-dump --single-transaction --quick --hex-blob ${user}`)
}

/** Moves the site, which changes meanwhile. Prints when each part began, and returns the result. */
async function move(moving: Moving, start: number): Promise<StoredEvent['data']> {
  const { dashboard, one, two, site } = moving
  const path = `/api/servers/${one.id}/sites/${site}/move?steps=true`
  const { events } = await dashboard.start('POST', path, { server_id: two.id })
  let last: StoredEvent | undefined
  for await (const event of events) {
    const { message, name, state } = event.data
    last = event
    if (message)
      console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)}  ${message}`)
    if (event.event !== 'step' || state !== 'running') continue
    if (name === 'certificate') await change(moving)
    if (name === 'brought') await comment(moving)
  }
  if (last?.event !== 'complete') throw new Error(JSON.stringify(last))
  return last.data
}

/** Changes what an editor changes in some minutes: a post with a photo, and an option. */
async function change({ one: { host }, user }: Moving): Promise<void> {
  const names = await host.must(['mariadb', user, '-Ne', "SHOW TABLES LIKE '%\\_posts'"])
  const prefix = names.trim().slice(0, -'posts'.length)
  const sql = `INSERT INTO wp_posts (post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
      VALUES ('News', 'Something is new', '', '', '', '');
    INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (LAST_INSERT_ID(), 'photo', 'new.jpg');
    INSERT INTO wp_options (option_name, option_value) VALUES ('bench', 'new');`
  await host.must(['mariadb', user], { input: sql.replaceAll('wp_', prefix) })
  const uploads = `/srv/www/${user}/public/wp-content/uploads`
  const photo = `head -c 800000 /dev/urandom > ${uploads}/new.jpg; chown ${user}: ${uploads}/new.jpg`
  await host.must(['bash', '-ec', photo])
}

/** Comments as a visitor does, shortly before the freeze. */
async function comment({ one: { host }, user }: Moving): Promise<void> {
  const names = await host.must(['mariadb', user, '-Ne', "SHOW TABLES LIKE '%\\_comments'"])
  const sql = `INSERT INTO ${names.trim()} (comment_post_ID, comment_author, comment_content) VALUES (1, 'Ann', 'Well done')`
  await host.must(['mariadb', user], { input: sql })
}

/** Requests the front page until its end. */
class Visitor {
  #ended = false
  #first: number | undefined
  #last = 0
  readonly #asking: Promise<void>

  constructor({ host }: Member) {
    this.#asking = this.#ask(host)
  }

  async #ask(host: Member['host']): Promise<void> {
    while (!this.#ended) {
      const { status } = await get(host, `https://${domain}/`).catch(() => ({ status: 0 }))
      if (status !== 200) {
        this.#first ??= performance.now()
        this.#last = performance.now()
      }
      await Bun.sleep(EVERY_MS)
    }
  }

  /** Returns the seconds between the first page that was not the site and the last one. */
  async end(): Promise<number> {
    this.#ended = true
    await this.#asking
    return (this.#last - (this.#first ?? this.#last)) / 1000
  }
}

await benchmark(main, switchDown)
