import { Database } from 'bun:sqlite'
import * as lab from '#tests/support/lab/index.ts'
import type { MovedSite } from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import type { Member, TwoServers } from '#tests/support/system/two-servers.ts'

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
  rows: string
}

/** Moves a site from the first server to the second one, while agents are killed. */
export class Mover {
  readonly world: TwoServers
  readonly #site: MovedSite
  readonly #domain: string
  #orders = 0
  readonly #from: Member
  readonly #to: Member

  private constructor(world: TwoServers, site: MovedSite, domain: string) {
    this.world = world
    this.#site = site
    this.#domain = domain
    this.#from = world.one
    this.#to = world.two
  }

  /** A page says on which server it runs. */
  static async start(world: TwoServers, site: MovedSite, domain: string): Promise<Mover> {
    const mover = new Mover(world, site, domain)
    const { host } = world.one
    const page = `/srv/www/${site.user}/public/where.php`
    await host.put(page, '<?php echo gethostname();')
    await host.must(['chown', `${site.user}:`, page])
    await host.must(['mariadb', site.user, '-e', 'CREATE TABLE orders (id INT PRIMARY KEY)'])
    return mover
  }

  /** Works when parts begin. Returns how the operation ended. */
  async move(at: Record<string, () => Promise<void>>): Promise<string> {
    this.#orders += 1
    const order = `INSERT INTO orders VALUES (${this.#orders})`
    await this.#from.host.must(['mariadb', this.#site.user, '-e', order])
    const path = `/api/servers/${this.#from.id}/sites/${this.#site.id}/move`
    const { id, events } = await this.world.dashboard.start('POST', path, {
      server_id: this.#to.id,
    })
    // The stream ends with the dashboard.
    void Array.fromAsync(events).catch(() => undefined)
    const left = { ...at }
    const ended = await lab.poll(
      async () => {
        const { status, parts } = this.#seen(id)
        const name = parts.findLast((part) => part in left)
        const work = name === undefined ? undefined : left[name]
        if (name !== undefined) delete left[name]
        await work?.()
        return !['queued', 'running'].includes(status) && status
      },
      { every_ms: 30, timeout_ms: 240_000 },
    )
    if (!ended) throw new Error(`the move did not end: ${JSON.stringify(this.#seen(id))}`)
    if (Object.keys(left).length > 0) throw new Error(`never began: ${Object.keys(left)}`)
    return ended
  }

  /** The agent of the server that has the site: the part has begun, and it is at work. */
  async kill(): Promise<void> {
    await Bun.sleep(200)
    const kill = ['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service']
    await this.#from.host.must(kill)
  }

  async state(): Promise<State> {
    const { dashboard, one, two } = this.world
    const recorded = await this.#site.server()
    const path = `/api/servers/${recorded}/sites/${this.#site.id}/move`
    const { body } = await dashboard.call('GET', path)
    const both = [one, two]
    const jobs = await Promise.all(both.map((each) => this.#runsJobs(each)))
    const at = both.find(({ id }) => id === recorded) ?? one
    const select = 'SELECT MAX(id) FROM orders'
    return {
      recorded,
      answers: await Promise.all(both.map((each) => this.#answer(each))),
      present: await Promise.all(both.map((each) => this.#has(each))),
      jobs: both.filter((_, index) => jobs[index]).map(({ id }) => id),
      unconfirmed: body.move !== null,
      rows: (await at.host.must(['mariadb', '-N', this.#site.user, '-e', select])).trim(),
    }
  }

  /** After a success the former server forwards, and keeps its copy. */
  expected(outcome: string): State {
    const isMoved = outcome === 'success'
    const { id } = isMoved ? this.#to : this.#from
    const former = isMoved ? this.#from.id : undefined
    const { one, two } = this.world
    return {
      recorded: id,
      answers: [one, two].map((each) => (isMoved || each.id === id ? id : undefined)),
      present: [one, two].map((each) => Array(2).fill(each.id === id || each.id === former)),
      jobs: [id],
      unconfirmed: isMoved,
      rows: `${this.#orders}`,
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
  #seen(id: string): { status: string; parts: string[] } {
    const database = new Database(`${this.world.data_dir}/dashboard.db`, { readonly: true })
    try {
      const row = database.query('select status from operations where id = ?').get(id)
      const began =
        "select name from operation_steps where operation_id = ? and state = 'running' order by id"
      const parts = database.query(began).all(id) as { name: string }[]
      return { status: Object(row).status ?? 'queued', parts: parts.map(({ name }) => name) }
    } finally {
      database.close()
    }
  }
}
