import { Watcher } from '#tests/support/canary.ts'
import type { Host } from '#tests/support/lab/index.ts'
import { SecretWatch } from './secret-watch.ts'
import type { TwoServers } from './two-servers.ts'

const CONTROL = 'canary-control-5c7a'
const LISTS = ['activity?limit=500', 'operations', 'fleet/backups', 'backup-targets']

/** Looks for the secrets of a move on both of its servers, and at the dashboard. */
export class MoveSecrets {
  readonly #world: TwoServers
  readonly #user: string
  readonly #answers = new Watcher()
  readonly #watches: SecretWatch[]
  #secrets = [CONTROL]

  constructor(world: TwoServers, user: string) {
    this.#world = world
    this.#user = user
    this.#watches = [world.one, world.two].map(({ host }) => new SecretWatch(host))
  }

  async start(): Promise<void> {
    this.#answers.watch(this.#world.programs)
    // A proof has the password while it runs, and the time of day decides when it starts.
    await this.#world.dashboard.call('PUT', '/api/settings/proof_every', { value: 'off' })
    for (const watch of this.#watches) await watch.start(this.#secrets)
  }

  /** The passwords of the repository and of the database, before the other server gets them. */
  async learn({ host }: { host: Host }): Promise<void> {
    const user = this.#user
    const file = `/var/lib/hosting-agent/backups/${user}/passwords/${user}`
    const config = await host.must(['cat', `/srv/www/${user}/public/wp-config.php`])
    const password = /'DB_PASSWORD',\s*'([^']+)'/.exec(config)?.[1] ?? ''
    this.#secrets = [CONTROL, (await host.must(['cat', file])).trim(), password]
    for (const secret of this.#secrets) {
      if (secret.length < 16) throw new Error('A password is missing or short')
    }
    for (const watch of this.#watches) await watch.lookFor(this.#secrets)
  }

  /** Where they are, on each server and at the dashboard: paths of files, or what a process has. */
  async found(): Promise<{ servers: string[][]; dashboard: string[]; controls: number }> {
    const { one, two, dashboard, dashboards, data_dir } = this.#world
    for (const path of LISTS) {
      const { body } = await dashboard.call('GET', `/api/${path}`)
      this.#answers.see(`answer of ${path}`, JSON.stringify(body))
    }
    await this.#answers.seeFiles('data', data_dir)
    const output = dashboards.flatMap(({ lines }) => lines)
    this.#answers.see('output of the dashboard', output.join('\n'))
    this.#answers.stop()
    // Shows that processes are looked at.
    for (const { host } of [one, two]) {
      await host.must(['env', `CONTROL=${CONTROL}`, 'sleep', '2'])
    }
    const all = await Promise.all(this.#watches.map((watch) => watch.found(this.#secrets)))
    const isControl = (place: string) => place.endsWith(CONTROL)
    return {
      servers: all.map((places) => places.filter((place) => !isControl(place)).sort()),
      dashboard: this.#secrets.flatMap((secret) => this.#answers.placesOf(secret)),
      controls: all.filter((places) => places.some(isControl)).length,
    }
  }
}
