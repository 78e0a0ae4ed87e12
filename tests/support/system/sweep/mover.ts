import { Database } from 'bun:sqlite'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { MovedSite } from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import type { Member, TwoServers } from '#tests/support/system/two-servers.ts'
import { after, thawedBySystemd, unplugged } from './cut-off.ts'

const EVERY_MS = 300
const PAGE = `<?php
define('SHORTINIT', true);
require __DIR__ . '/wp-load.php';
global $wpdb;
$id = (int) $_GET['id'];
if ($wpdb->query("INSERT INTO orders VALUES ($id)") === 1) echo "ordered $id";
`

/** Visitors of one server who order, one after the other, whatever happens to the site. */
class Orders {
  readonly acknowledged: number[] = []
  readonly #host: Host
  readonly #domain: string
  #last = 0

  constructor(host: Host, domain: string) {
    this.#host = host
    this.#domain = domain
  }

  async prepare(user: string): Promise<void> {
    const page = `/srv/www/${user}/public/order.php`
    await this.#host.put(page, PAGE)
    await this.#host.must(['chown', `${user}:`, page])
    await this.#host.must(['mariadb', user, '-e', 'CREATE TABLE orders (id INT PRIMARY KEY)'])
  }

  start(): { stop(): Promise<void> } {
    let isEnded = false
    const order = async () => {
      while (!isEnded) {
        await this.#order()
        await Bun.sleep(EVERY_MS)
      }
    }
    const ordering = order()
    const stop = () => {
      isEnded = true
      return ordering
    }
    return { stop }
  }

  async #order(): Promise<void> {
    this.#last += 1
    const id = this.#last
    const url = `http://${this.#domain}/order.php?id=${id}`
    const page = await get(this.#host, url).catch(() => undefined)
    if (page?.body.trim() === `ordered ${id}`) this.acknowledged.push(id)
  }

  /** The acknowledged orders that a server does not have. */
  async lost(host: Host, user: string): Promise<number[]> {
    const rows = await host.must(['mariadb', '-N', user, '-e', 'SELECT id FROM orders'])
    const kept = new Set(rows.trim().split('\n').map(Number))
    return this.acknowledged.filter((id) => !kept.has(id))
  }
}

/**
 * A new server is unplugged for ten seconds, an old one until the dashboard gives up. A dead agent
 * comes back when systemd has ended the freeze.
 */
export type Killed =
  | 'old agent'
  | 'new agent'
  | 'dashboard'
  | 'new cable'
  | 'old cable'
  | 'dead old agent'

interface State {
  /** The server that its record names. */
  recorded: number
  /** The servers whose PHP answers a visitor of each server: exactly one has the site. */
  answers: (number | undefined)[]
  /** Whether each server has the system user and the database of the site. */
  present: boolean[][]
  /** The servers whose jobs run. */
  jobs: number[]
  /** Whether it can be moved back or confirmed. */
  unconfirmed: boolean
  /** Orders of visitors that were acknowledged, and are lost. */
  lost: number[]
}

/** Moves a site from one of two servers to the other one, and back, while something is killed. */
export class Mover {
  readonly world: TwoServers
  readonly #site: MovedSite
  readonly #domain: string
  readonly #orders: Orders
  /** The server of the site, and the other one. */
  #from: Member
  #to: Member
  #isMoved = false
  /** Ends when both servers are plugged in. */
  #plugged: Promise<void> = Promise.resolve()

  private constructor(world: TwoServers, site: MovedSite, domain: string) {
    this.world = world
    this.#site = site
    this.#domain = domain
    this.#orders = new Orders(world.one.host, domain)
    this.#from = world.one
    this.#to = world.two
  }

  /** A page says on which server it runs, and another one takes orders. */
  static async start(world: TwoServers, site: MovedSite, domain: string): Promise<Mover> {
    const mover = new Mover(world, site, domain)
    const { host } = world.one
    const page = `/srv/www/${site.user}/public/where.php`
    await host.put(page, '<?php echo gethostname();')
    await host.must(['chown', `${site.user}:`, page])
    await mover.#orders.prepare(site.user)
    return mover
  }

  /** The acknowledged ones. */
  get orders(): number {
    return this.#orders.acknowledged.length
  }

  /** While visitors order. Kills when parts begin, and returns how the operation ended. */
  async move(kills: Record<string, Killed>): Promise<string> {
    const site = `/api/servers/${this.#from.id}/sites/${this.#site.id}`
    const [path, body] = this.#isMoved
      ? [`${site}/move-back`, {}]
      : [`${site}/move`, { server_id: this.#to.id }]
    const ordering = this.#orders.start()
    const { id, events } = await this.world.dashboard.start('POST', path, body)
    // The stream ends with the dashboard.
    void Array.fromAsync(events).catch(() => undefined)
    const left = { ...kills }
    const ended = await lab.polled(
      async () => {
        const { status, parts } = this.#seen(id)
        const name = parts.findLast((part) => part in left)
        const killed = name === undefined ? undefined : left[name]
        if (name !== undefined) delete left[name]
        if (killed) await this.#kill(killed, id)
        return !['queued', 'running'].includes(status) && status
      },
      { every_ms: 30, timeout_ms: 240_000 },
    )
    await ordering.stop()
    await this.#plugged
    if (!ended) throw new Error(`the move did not end: ${JSON.stringify(this.#seen(id))}`)
    // A move that was undone has no later parts.
    if (ended === 'success' && Object.keys(left).length > 0) {
      throw new Error(`never began: ${Object.keys(left)}; ${JSON.stringify(this.#seen(id))}`)
    }
    return ended
  }

  /** After the checks: the servers have changed places if it succeeded. */
  settle(outcome: string): void {
    if (outcome !== 'success') return
    ;[this.#from, this.#to] = [this.#to, this.#from]
    this.#isMoved = true
  }

  /** A part has begun, and its agent is at work. */
  async #kill(killed: Killed, id: string): Promise<void> {
    if (killed === 'dashboard') return this.world.restartDashboard()
    if (killed === 'new cable') this.#plugged = unplugged(this.#to.host, after(10_000))
    const gaveUp = () => this.#seen(id).parts.includes('settled')
    if (killed === 'old cable') this.#plugged = unplugged(this.#from.host, gaveUp)
    if (killed.endsWith('cable')) return
    if (killed === 'dead old agent') {
      const page = `http://${this.#domain}/where.php`
      return thawedBySystemd(this.#from.host, { user: this.#site.user, page })
    }
    await Bun.sleep(200)
    const { host } = killed === 'old agent' ? this.#from : this.#to
    await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])
  }

  async state(): Promise<State> {
    const { dashboard, one, two } = this.world
    const recorded = await this.#site.server()
    const path = `/api/servers/${recorded}/sites/${this.#site.id}/move`
    const { body } = await dashboard.call('GET', path)
    const both = [one, two]
    const jobs = await Promise.all(both.map((each) => this.#runsJobs(each)))
    const at = both.find(({ id }) => id === recorded) ?? one
    return {
      recorded,
      answers: await Promise.all(both.map((each) => this.#answer(each))),
      present: await Promise.all(both.map((each) => this.#has(each))),
      jobs: both.filter((_, index) => jobs[index]).map(({ id }) => id),
      unconfirmed: body.move !== null,
      lost: await this.#orders.lost(at.host, this.#site.user),
    }
  }

  /** After a success the former server forwards, and keeps its copy. */
  expected(outcome: string): State {
    const isMoved = this.#isMoved || outcome === 'success'
    const { id } = outcome === 'success' ? this.#to : this.#from
    const { one, two } = this.world
    return {
      recorded: id,
      answers: [one, two].map((each) => (isMoved || each.id === id ? id : undefined)),
      present: [one, two].map((each) => Array(2).fill(isMoved || each.id === id)),
      jobs: [id],
      unconfirmed: isMoved,
      lost: [],
    }
  }

  /** The server whose PHP answers; undefined if none does. */
  async #answer({ host }: Member): Promise<number | undefined> {
    const page = await get(host, `http://${this.#domain}/where.php`).catch(() => undefined)
    if (page?.status !== 200) return undefined
    const { one, two } = this.world
    return [one, two].find((each) => each.host.name === page.body.trim())?.id
  }

  async #has({ host }: Member): Promise<boolean[]> {
    const { user } = this.#site
    const known = await host.exec(['getent', 'passwd', user])
    const database = await host.exec(['mariadb', user, '-e', 'SELECT 1'])
    return [known.code === 0, database.code === 0]
  }

  async #runsJobs({ host }: Member): Promise<boolean> {
    const unit = `hosting-cron@${this.#site.user}.timer`
    return (await host.exec(['systemctl', 'is-active', unit])).stdout === 'active\n'
  }

  /** From the records themselves: the dashboard may be down. */
  #seen(id: string): { status: string; parts: string[]; error: unknown } {
    const database = new Database(`${this.world.data_dir}/dashboard.db`, { readonly: true })
    try {
      const row = database.query('select status, error from operations where id = ?').get(id)
      const began =
        "select name from operation_steps where operation_id = ? and state = 'running' order by id"
      const parts = database.query(began).all(id) as { name: string }[]
      const { status = 'queued', error } = Object(row)
      return { status, parts: parts.map(({ name }) => name), error }
    } finally {
      database.close()
    }
  }
}
